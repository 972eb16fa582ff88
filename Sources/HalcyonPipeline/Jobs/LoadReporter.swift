import HalcyonSupport

/// Tells the events of one load in their order, one at a time, and nothing after its end.
///
/// Events may come from several threads at once: one of them delivers for all, when no lock is held.
final class LoadReporter: Sendable {
  private struct State {
    var waiting: ArraySlice<PipelineEvent.Kind> = []
    var isDelivering = false
    var isOver = false
  }

  private let load: UInt64
  private let handler: @Sendable (PipelineEvent) -> Void
  private let state = Lock(State())

  init(load: UInt64, handler: @escaping @Sendable (PipelineEvent) -> Void) {
    self.load = load
    self.handler = handler
  }

  func tell(_ kind: PipelineEvent.Kind) {
    let isBusy = state.withLock { state in
      guard !state.isOver else { return true }
      state.isOver = kind.isLast
      state.waiting.append(kind)
      defer { state.isDelivering = true }
      return state.isDelivering
    }
    guard !isBusy else { return }
    while let kind = next() { handler(PipelineEvent(load: load, kind: kind)) }
  }

  func note(_ event: LoadEvent) {
    switch event {
    case .progress(let progress): tell(.progress(progress))
    case .step(let kind): tell(kind)
    case .info, .partial, .preview: break
    }
  }

  func end(_ result: Result<ImageResponse, ImageError>) {
    switch result {
    case .success(let response): tell(.finished(response.origin, response.trace))
    case .failure(let error): tell(.failed(error))
    }
  }

  private func next() -> PipelineEvent.Kind? {
    state.withLock { state in
      let next = state.waiting.popFirst()
      state.isDelivering = next != nil
      return next
    }
  }
}

extension PipelineEvent.Kind {
  fileprivate var isLast: Bool {
    switch self {
    case .finished, .failed: true
    default: false
    }
  }
}
