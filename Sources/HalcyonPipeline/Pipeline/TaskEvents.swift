import HalcyonSupport

/// Sends the events of one task to all its streams, and holds its result.
final class TaskEvents<Event: Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>

  private struct State {
    var streams = ObserverList<AsyncStream<Event>.Continuation>()
    /// The last kept event, for streams opened later.
    var kept: Event?
    var result: Outcome?
  }

  private let state = Lock(State())
  private let lastEvent: @Sendable (Outcome) -> Event
  private let onCompletion: (@Sendable (Outcome) -> Void)?

  /// - Parameters:
  ///   - lastEvent: Makes the event that ends every stream.
  ///   - onCompletion: Called once with the result.
  init(lastEvent: @escaping @Sendable (Outcome) -> Event, onCompletion: (@Sendable (Outcome) -> Void)? = nil) {
    self.lastEvent = lastEvent
    self.onCompletion = onCompletion
  }

  var result: Outcome? { state.withLock(\.result) }

  /// Waits for the result.
  ///
  /// - Parameter cancel: Cancels the task. Called when the calling task is cancelled, unless something else waits for the
  ///   result: another call of this function, a stream, or the completion handler.
  func value(cancel: () -> Void) async throws(ImageError) -> Value {
    for await _ in stream() {}
    if let result { return try result.get() }
    if onCompletion == nil, state.withLock({ $0.streams.isEmpty }) { cancel() }
    throw .cancelled
  }

  /// - Parameter earlier: Returns the events that a new stream begins with; called with a lock held.
  func stream(after earlier: () -> [Event] = { [] }) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(64))
    let (id, result): (UInt64?, Outcome?) = state.withLock { state in
      guard state.result == nil else { return (nil, state.result) }
      for event in earlier() { continuation.yield(event) }
      if let kept = state.kept { continuation.yield(kept) }
      return (state.streams.add(continuation), nil)
    }
    if let id {
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
    } else if let result {
      continuation.yield(lastEvent(result))
      continuation.finish()
    }
    return stream
  }

  /// - Parameter isKept: Whether streams opened later begin with this event, unless another one has been kept since.
  func send(_ event: Event, isKept: Bool = false) {
    let (streams, old) = state.withLock { state in
      guard isKept, state.result == nil else { return (state.streams.all, nil as Event?) }
      defer { state.kept = event }
      return (state.streams.all, state.kept)
    }
    withExtendedLifetime(old) {}
    for stream in streams { stream.yield(event) }
  }

  /// Sets the result and ends all streams. Only the first call has an effect.
  ///
  /// - Parameter report: Called before the streams end.
  func finish(_ result: Outcome, report: (Outcome) -> Void = { _ in }) {
    let ended: ([AsyncStream<Event>.Continuation], Event?)? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.kept = nil }
      return (state.streams.removeAll(), state.kept)
    }
    guard let (streams, kept) = ended else { return }
    withExtendedLifetime(kept) {}
    report(result)
    for stream in streams {
      stream.yield(lastEvent(result))
      stream.finish()
    }
    onCompletion?(result)
  }

  private func remove(_ id: UInt64) {
    let removed = state.withLock { $0.streams.remove(id) }
    withExtendedLifetime(removed) {}
  }
}
