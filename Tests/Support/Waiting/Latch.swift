public import Dispatch
public import Foundation
import HalcyonSupport

/// Blocks a thread until another one opens the latch; it stays open.
///
/// A wait ends after ``BlockingWait/limit`` in any case, so that the test fails by its name instead of hanging.
public final class Latch: Sendable {
  private let condition = NSCondition()
  private let isOpen = Atomic(false)

  public init() {}

  /// Lets all current and future threads pass.
  public func open() {
    condition.lock()
    defer { condition.unlock() }
    isOpen.store(true)
    condition.broadcast()
  }

  /// Blocks the thread until the latch is open.
  public func wait() {
    let end = Date() + BlockingWait.limit
    condition.lock()
    defer { condition.unlock() }
    while !isOpen.load(), condition.wait(until: end) {}
  }
}

/// Waits of threads, which the cancellation of a test does not end.
public enum BlockingWait {
  /// The longest wait in seconds: less than the time limit of any test.
  public static let limit: TimeInterval =
    45 * (ProcessInfo.processInfo.environment["HALCYON_TEST_PATIENCE"].flatMap { Double($0) } ?? 1)
}

extension DispatchSemaphore {
  /// Waits for at most ``BlockingWait/limit``.
  public func waitWithLimit() { _ = wait(timeout: .now() + BlockingWait.limit) }
}
