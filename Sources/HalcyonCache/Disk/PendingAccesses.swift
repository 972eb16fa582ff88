import HalcyonSupport
import Foundation

/// A use of a stored entry that is not yet recorded in the index.
struct Access {
  /// The date of the use.
  let date: Date
  /// The number of reads that are not recorded yet, including this one.
  fileprivate(set) var readCount: Int
  /// The position among all accesses.
  fileprivate(set) var order = 0

  /// - Parameter isRead: Whether the entry was read, and not only changed.
  init(at date: Date, isRead: Bool = true) { (self.date, readCount) = (date, isRead ? 1 : 0) }
}

/// Accesses that update the eviction order later, in batches, so that a read does not write to the index.
struct PendingAccesses {
  /// The number of accessed entries after which they are flushed.
  static let flushThreshold = 256

  private var pending: [CacheKey: Access] = [:]
  /// Accesses being written to the index; lookups need them until they are.
  private var flushing: [CacheKey: Access] = [:]
  private var accessCount = 0

  /// The last access of an entry that the index may not have yet.
  func access(for key: CacheKey) -> Access? { pending[key] ?? flushing[key] }

  /// Records the last access of an entry.
  ///
  /// - Returns: The number of entries that are pending with this one; `nil` if it has been before.
  mutating func record(_ access: Access, for key: CacheKey) -> Int? {
    accessCount += 1
    var access = access
    access.order = accessCount
    access.readCount += pending[key]?.readCount ?? 0
    return pending.updateValue(access, forKey: key) == nil ? pending.count : nil
  }

  /// Returns the pending accesses, oldest first, to be written to the index.
  mutating func beginFlush() -> [(key: CacheKey, access: Access)] {
    defer { pending.removeAll(keepingCapacity: true) }
    flushing.merge(pending) { $0.order > $1.order ? $0 : $1 }
    return pending.sorted { $0.value.order < $1.value.order }.map { (key: $0.key, access: $0.value) }
  }

  mutating func endFlush(_ accesses: [(key: CacheKey, access: Access)]) {
    for (key, access) in accesses where flushing[key]?.order == access.order { flushing[key] = nil }
  }
}
