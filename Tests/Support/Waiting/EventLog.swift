/// What happened, in order, written from any thread and awaited by a test.
package final class EventLog<Event: Sendable>: Sendable {
  private let recorded = Monitor<[Event]>([])

  package init() {}

  /// Everything recorded so far, oldest first.
  package var events: [Event] { recorded.read { $0 } }

  package func record(_ event: Event) {
    recorded.update { $0.append(event) }
  }

  /// Suspends until at least `count` events are recorded, and gives them all.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  @discardableResult
  package func waitForEvents(count: Int) async throws(CancellationError) -> [Event] {
    try await recorded.wait { $0.count >= count }
    return events
  }

  /// Suspends until the event recorded last is this one.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func waitUntilLast(is event: Event) async throws(CancellationError) where Event: Equatable {
    try await recorded.wait { $0.last == event }
  }
}
