import Foundation
import Synchronization

/// Blocks a thread until another one opens the latch; it stays open.
final class Latch: Sendable {
  private let condition = NSCondition()
  private let isOpen = Atomic(false)

  func open() {
    condition.lock()
    defer { condition.unlock() }
    isOpen.store(true, ordering: .relaxed)
    condition.broadcast()
  }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    while !isOpen.load(ordering: .relaxed) { condition.wait() }
  }
}
