public import HalcyonSupport
public import HalcyonCache

/// A store that forgets everything with the process: a stand-in for a disk cache in tests.
public final class MemoryDataStore: DataStore {
  private let entries = Lock<[CacheKey: StoredEntry]>([:])

  /// Creates an empty store.
  public init() {}

  /// The keys that have entries.
  public var keys: Set<CacheKey> { entries.withLock { Set($0.keys) } }

  /// Entries that are kept.
  public var count: Int { entries.withLock { $0.count } }

  /// The entry stored under a key.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { entries.withLock { $0[key] } }

  /// Whether the key has an entry.
  public func containsEntry(for key: CacheKey) async throws -> Bool { entries.withLock { $0[key] != nil } }

  /// Keeps an entry.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws { entries.withLock { $0[key] = entry } }

  /// Changes what is known about an entry.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    entries.withLock { entries in
      guard entries[key] != nil else { return false }
      entries[key]?.metadata = metadata
      return true
    }
  }

  /// Forgets one entry.
  public func removeEntry(for key: CacheKey) async throws { entries.withLock { $0[key] = nil } }

  /// Forgets all entries.
  public func removeAll() async throws { entries.withLock { $0 = [:] } }
}
