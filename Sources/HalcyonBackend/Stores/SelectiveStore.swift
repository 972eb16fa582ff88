import HalcyonCache
import HalcyonSupport

/// A store that leaves out some keys and entries.
protocol SelectiveStore: DataStore {
  /// Whether entries under a key are stored at all. Calls for others return without a request.
  func canStore(_ key: CacheKey) -> Bool

  /// Stores an entry, and returns whether it was stored. If not, because of its size or its expiration, the older entry
  /// is removed.
  func storeIfPossible(_ entry: StoredEntry, for key: CacheKey) async throws -> Bool
}

/// An error of a store.
protocol StoreError: Error {
  /// Whether the store has failed; `false` if only this entry cannot be stored, or nothing was sent.
  var isFaultOfStore: Bool { get }
}

extension DiskCacheError: StoreError {
  var isFaultOfStore: Bool {
    switch self {
    case .system, .index, .damagedIndex, .newerFormat, .busy, .unsafeFolder: true
    case .entryTooLarge, .metadataTooLarge, .insufficientSpace: false
    }
  }
}
