import Foundation
import Synchronization

/// Holds one thread until another opens it, once.
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
