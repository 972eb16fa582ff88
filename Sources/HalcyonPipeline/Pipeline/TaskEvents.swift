import HalcyonImaging
import HalcyonSupport

/// Sends the events of one task to all its streams.
final class TaskEvents: Sendable {
  private struct State {
    var streams = ObserverList<AsyncStream<ImageTask.Event>.Continuation>()
    /// The last preview, for streams opened later.
    var preview: DecodedImage?
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
      if let preview = state.preview { continuation.yield(.preview(preview)) }
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
    let (streams, old) = state.withLock { state in
      guard case .preview(let image) = event, state.result == nil else {
        return (state.streams.all, nil as DecodedImage?)
      }
      defer { state.preview = image }
      return (state.streams.all, state.preview)
    }
    withExtendedLifetime(old) {}
    for stream in streams { stream.yield(event) }
  }

  func finish(_ result: Result<ImageResponse, ImageError>, _ reporter: LoadReporter?) {
    let ended: ([AsyncStream<ImageTask.Event>.Continuation], DecodedImage?)? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.preview = nil }
      return (state.streams.removeAll(), state.preview)
    }
    guard let (streams, preview) = ended else { return }
    withExtendedLifetime(preview) {}
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
