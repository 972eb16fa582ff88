import Foundation
import HalcyonSupport

/// Blocks a thread until another one opens the latch; it stays open.
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
    condition.lock()
    defer { condition.unlock() }
    while !isOpen.load() { condition.wait() }
  }
}
