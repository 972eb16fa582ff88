/// Several stores that are asked one after the other, the nearest first.
///
/// What another than the first has is copied to the first, and found there next time. New entries go to the first, and
/// what the others have under the same key is removed, so that nothing older comes back when the first evicts. A store
/// that fails is passed over when entries are read; a copy that fails is not made.
public struct StoreChain: DataStore {
  /// The stores in the order in which they are asked.
  public let stores: [any DataStore]

  /// Creates a chain.
  ///
  /// - Parameter stores: At least one, the nearest first.
  public init(_ stores: [any DataStore]) {
    precondition(!stores.isEmpty, "a chain needs at least one store")
    self.stores = stores
  }

  /// The entry in the first store that has one.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry in the first store that has one, or why the first has none.
  ///
  /// - Throws: What the last store throws, where all fail.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> TierAnswer<StoredEntry> {
    var (firstMiss, failure): (CacheMiss?, (any Error)?) = (nil, nil)
    for (index, store) in stores.enumerated() {
      do {
        switch try await store.lookUp(key, extending: extending) {
        case .hit(let entry):
          // The entry is there, whatever comes of the copy.
          if index > 0 { try? await stores[0].store(entry, for: key) }
          return .hit(entry)
        case .miss(let miss): firstMiss = firstMiss ?? miss
        }
      } catch {
        try Task.checkCancellation()
        failure = error
      }
    }
    guard let firstMiss else { throw failure ?? CancellationError() }
    return .miss(firstMiss)
  }

  /// Whether any store has an entry.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    for store in stores where try await store.containsEntry(for: key) { return true }
    return false
  }

  /// What is known about the entry in the first store that has one.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    for store in stores {
      if let metadata = try await store.metadata(for: key) { return metadata }
    }
    return nil
  }

  /// Keeps an entry in the first store, and removes what the others have.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await stores[0].store(entry, for: key)
    for store in stores.dropFirst() { try await store.removeEntry(for: key) }
  }

  /// Changes what is known about an entry wherever it is.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    var isUpdated = false
    for store in stores where try await store.updateMetadata(metadata, for: key) { isUpdated = true }
    return isUpdated
  }

  /// Pins an entry wherever it is, or lets it go again.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    var isFound = false
    for store in stores where try await store.setPinned(isPinned, for: key) { isFound = true }
    return isFound
  }

  /// Forgets one entry everywhere.
  public func removeEntry(for key: CacheKey) async throws {
    for store in stores { try await store.removeEntry(for: key) }
  }

  /// Forgets all entries everywhere.
  public func removeAll() async throws {
    for store in stores { try await store.removeAll() }
  }
}
