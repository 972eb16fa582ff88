public import HalcyonSupport
public import HalcyonCache

/// A `DataStore` in memory without limits: a replacement for the disk cache in tests.
///
/// ```swift
/// let store = MemoryDataStore()
/// let pipeline = ImagePipeline { $0.cache = ImageCache(store: store) }
/// ```
public final class MemoryDataStore: DataStore {
  private let entries = Lock<[CacheKey: StoredEntry]>([:])

  /// Creates an empty store.
  public init() {}

  /// The keys that have entries.
  public var keys: Set<CacheKey> { entries.withLock { Set($0.keys) } }

  /// The number of entries.
  public var count: Int { entries.withLock { $0.count } }

  /// The entry stored under a key, or `nil`.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { entries.withLock { $0[key] } }

  /// Whether the key has an entry.
  public func containsEntry(for key: CacheKey) async throws -> Bool { entries.withLock { $0[key] != nil } }

  /// Stores an entry, replacing any entry under the key.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws { entries.withLock { $0[key] = entry } }

  /// Replaces the metadata of an entry.
  ///
  /// - Returns: Whether the key has an entry.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    entries.withLock { entries in
      guard entries[key] != nil else { return false }
      entries[key]?.metadata = metadata
      return true
    }
  }

  /// Removes one entry.
  public func removeEntry(for key: CacheKey) async throws { entries.withLock { $0[key] = nil } }

  /// Removes all entries of a source, and returns their number.
  @discardableResult
  public func removeEntries(ofSource source: String) async throws -> Int {
    entries.withLock { entries in
      let count = entries.count
      entries = entries.filter { !$0.key.isOf(source: source) }
      return count - entries.count
    }
  }

  /// Removes all entries.
  public func removeAll() async throws { entries.withLock { $0 = [:] } }
}
