import HalcyonSupport

/// Calls the event handler with the events of one load: in order, one at a time, and none after the last.
///
/// Events may come from several threads at once; one of these threads delivers them all, without locks held.
final class LoadReporter: Sendable {
  private struct State {
    var pending: ArraySlice<PipelineEvent.Kind> = []
    var isDelivering = false
    var hasEnded = false
  }

  private let load: UInt64
  private let request: ImageRequest
  private let handler: @Sendable (PipelineEvent) -> Void
  private let state = Lock(State())

  init(load: UInt64, request: ImageRequest, handler: @escaping @Sendable (PipelineEvent) -> Void) {
    self.load = load
    self.request = request
    self.handler = handler
  }

  func report(_ kind: PipelineEvent.Kind) {
    let isDelivered = state.withLock { state in
      guard !state.hasEnded else { return true }
      state.hasEnded = kind.isLast
      state.pending.append(kind)
      defer { state.isDelivering = true }
      return state.isDelivering
    }
    guard !isDelivered else { return }
    while let kind = next() { handler(PipelineEvent(load: load, request: request, kind: kind)) }
  }

  func receive(_ event: LoadEvent) {
    switch event {
    case .progress(let progress): report(.progress(progress))
    case .step(let kind): report(kind)
    case .info, .partial, .preview, .storedStale, .stale, .queue: break
    }
  }

  func end(_ result: Result<ImageResponse, ImageError>) {
    switch result {
    case .success(let response): report(.finished(response.origin, response.trace))
    case .failure(let error): report(.failed(error))
    }
  }

  private func next() -> PipelineEvent.Kind? {
    state.withLock { state in
      let next = state.pending.popFirst()
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
