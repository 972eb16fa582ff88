import HalcyonSupport

/// Sends the events of one task to all its streams.
final class TaskEvents: Sendable {
  private struct State {
    var streams = ObserverList<AsyncStream<ImageTask.Event>.Continuation>()
    var result: Result<ImageResponse, ImageError>?
  }

  private let state = Lock(State())
  private let onCompletion: (@Sendable (Result<ImageResponse, ImageError>) -> Void)?

  init(onCompletion: (@Sendable (Result<ImageResponse, ImageError>) -> Void)?) {
    self.onCompletion = onCompletion
  }

  var result: Result<ImageResponse, ImageError>? { state.withLock(\.result) }

  func stream() -> AsyncStream<ImageTask.Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ImageTask.Event.self, bufferingPolicy: .bufferingNewest(64))
    let (id, result): (UInt64?, Result<ImageResponse, ImageError>?) = state.withLock { state in
      (state.result == nil ? state.streams.add(continuation) : nil, state.result)
    }
    if let id {
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
    } else if let result {
      continuation.yield(.finished(result))
      continuation.finish()
    }
    return stream
  }

  func send(_ event: ImageTask.Event) {
    for stream in state.withLock({ $0.streams.all }) { stream.yield(event) }
  }

  func finish(_ result: Result<ImageResponse, ImageError>, _ reporter: LoadReporter?) {
    let streams: [AsyncStream<ImageTask.Event>.Continuation]? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      return state.streams.removeAll()
    }
    guard let streams else { return }
    reporter?.end(result)
    for stream in streams {
      stream.yield(.finished(result))
      stream.finish()
    }
    onCompletion?(result)
  }

  private func remove(_ id: UInt64) {
    let removed = state.withLock { $0.streams.remove(id) }
    withExtendedLifetime(removed) {}
  }
}
