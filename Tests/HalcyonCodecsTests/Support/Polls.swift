import Foundation

/// Counts how often it is asked. Unchecked: guarded by the lock.
final class Polls: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  /// 1 for the first call.
  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
