import Foundation
import HalcyonSupport
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

@testable import HalcyonPipeline

/// What a load reports to its callers, and what its timeout counts.
@Suite(.unitTest)
struct LoadSubscriptionTests {
  private final class Bytes: Sendable {}

  @Test(
    arguments: [
      (1, true, nil, true), (1, true, (1, false), false), (1, false, (1, true), true), (1, true, (1, true), false),
      (1, false, (1, false), false), (2, true, (1, false), true), (2, false, (1, true), true),
      (1, false, (2, true), false),
    ] as [(UInt64, Bool, (UInt64, Bool)?, Bool)])
  func `of two states of a queue the one of the later permit counts, and of one permit the end of the wait`(
    permit: UInt64, isWaiting: Bool, other: (UInt64, Bool)?, isLater: Bool
  ) {
    let state = QueueState(permit: permit, isWaiting: isWaiting)
    #expect(state.isLater(than: other.map { QueueState(permit: $0, isWaiting: $1) }) == isLater)
  }

  @Test func `a subscriber that joins hears of what is known, the latest of each`() {
    let subscription = LoadSubscription(priority: .normal)
    #expect(subscription.latestEvents.isEmpty)
    let bytes = Bytes()
    let infos = [1, 2].map { ImageInfo(format: .bmp, storedSize: PixelSize(width: $0, height: 1)) }
    for info in infos { subscription.report(.info(info)) }
    for count in [1, 2] { subscription.report(.progress(LoadProgress(receivedByteCount: count, expectedByteCount: 9))) }
    for (permit, isWaiting) in [(1, true), (2, true), (1, false)] as [(UInt64, Bool)] {
      subscription.report(.queue(QueueState(permit: permit, isWaiting: isWaiting)))
    }
    subscription.report(.storedStale(bytes: bytes))
    let known = subscription.latestEvents.map { event in
      switch event {
      case .storedStale(let stored): stored === bytes ? "stored" : "other bytes"
      case .info(let info): "info \(info.storedSize.width)"
      case .progress(let progress): "progress \(progress.receivedByteCount)"
      case .queue(let queue): "queue \(queue.permit) \(queue.isWaiting)"
      default: "other"
      }
    }
    #expect(known == ["stored", "info 2", "progress 2", "queue 2 true"])
    #expect(subscription.latestProgress?.receivedByteCount == 2)
  }

  @Test func `an observer is notified of another priority, and not once it has ended`() {
    let (subscription, changes) = (LoadSubscription(priority: .low), Counter())
    let observer = subscription.observePriority { changes.increment() }
    for priority in [ImagePriority.low, .high, .high, .normal] { subscription.priority = priority }
    #expect(changes.count == 2)
    #expect(subscription.priorityObserverCount == 1)
    subscription.stopObserving(observer)
    subscription.priority = .low
    #expect(changes.count == 2)
    #expect(subscription.priorityObserverCount == 0)
  }

  /// The seconds at which the transfer waits for a connection, and has one.
  @Test(
    arguments: [
      ([], [], 10), ([0], [], 10), ([0], [4], 14), ([2], [4], 12), ([2, 6], [4, 7], 13), ([3], [3], 10),
    ] as [([Int], [Int], Int)])
  func `a timeout counts no time in the queue`(waits: [Int], connections: [Int], end: Int) async throws {
    let clock = TestClock()
    let counted = CountedTime(clock)
    let ends = EventLog<Void>()
    let waiting = Task {
      try await counted.waitUntil(.seconds(10))
      ends.record(())
    }
    var permit: UInt64 = 0
    for second in 0..<end {
      if waits.contains(second) {
        permit += 1
        counted.receive(QueueState(permit: permit, isWaiting: true))
      }
      if connections.contains(second) { counted.receive(QueueState(permit: permit, isWaiting: false)) }
      await clock.waitForSleepers()
      #expect(ends.events.isEmpty)
      clock.advance(by: .seconds(1))
    }
    if waits.count > connections.count {
      await clock.waitForSleepers()
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    } else {
      try await waiting.value
    }
  }
}
