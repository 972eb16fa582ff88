/// A log of events, recorded from any thread, that a test can await.
public final class EventLog<Event: Sendable>: Sendable {
  private let recorded = Monitor<[Event]>([])

  public init() {}

  /// All events recorded so far, oldest first.
  public var events: [Event] { recorded.read { $0 } }

  public func record(_ event: Event) {
    recorded.update { $0.append(event) }
  }

  /// Suspends until at least `count` events have been recorded, and returns all events.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  @discardableResult
  public func waitForEvents(count: Int) async throws(CancellationError) -> [Event] {
    try await recorded.wait { $0.count >= count }
    return events
  }

  /// Suspends until the last recorded event is `event`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func waitUntilLast(is event: Event) async throws(CancellationError) where Event: Equatable {
    try await recorded.wait { $0.last == event }
  }
}
