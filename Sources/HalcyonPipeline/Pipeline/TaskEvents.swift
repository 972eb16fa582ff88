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

  /// - Parameter earlier: Returns the events that a new stream begins with; called with a lock held.
  func stream(after earlier: () -> [ImageTask.Event] = { [] }) -> AsyncStream<ImageTask.Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ImageTask.Event.self, bufferingPolicy: .bufferingNewest(64))
    let (id, result): (UInt64?, Result<ImageResponse, ImageError>?) = state.withLock { state in
      guard state.result == nil else { return (nil, state.result) }
      for event in earlier() { continuation.yield(event) }
      return (state.streams.add(continuation), nil)
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
