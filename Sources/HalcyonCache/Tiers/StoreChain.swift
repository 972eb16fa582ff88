public import HalcyonSupport

/// Several stores that are searched in order.
///
/// An entry found in a later store is copied to the first, where later reads find it; an error of the copy is ignored. A
/// new entry is stored in the first store and removed from the others, so that no older one is found after the first
/// evicts it or fails.
///
/// A store that fails to read is skipped; if all fail, the last error is thrown. A change is applied to every store,
/// regardless of failures, and then the first error is thrown.
public struct StoreChain: DataStore {
  /// The stores in the order in which they are searched.
  public let stores: [any DataStore]

  private let reads = OverlappingReads()

  /// Creates a chain.
  ///
  /// - Parameter stores: The stores in the order in which they are searched; at least one.
  public init(_ stores: [any DataStore]) {
    precondition(!stores.isEmpty, "a chain needs at least one store")
    self.stores = stores
  }

  /// The entry in the first store that contains it.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry in the first store that contains it, or the reason of the miss in the first.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    let read = reads.begin(key)
    defer { reads.end(key) }
    var firstMiss: CacheMiss?
    let found = try await firstResult { index, store -> StoredEntry? in
      switch try await store.lookUp(key, extending: extending) {
      case .hit(let entry):
        if index > 0 { await copy(entry, for: key, read) }
        return entry
      case .miss(let miss):
        firstMiss = firstMiss ?? miss
        return nil
      }
    }
    return found.map { .hit($0) } ?? .miss(firstMiss ?? .absent)
  }

  /// Whether any store contains an entry for the key.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    let isFound = try await firstResult { _, store -> Bool? in
      try await store.containsEntry(for: key) ? true : nil
    }
    return isFound != nil
  }

  /// The metadata of the entry in the first store that contains it.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    try await firstResult { _, store in try await store.metadata(for: key) }
  }

  /// Stores an entry in the first store, and removes those under the same key from the others, even if the first fails.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    reads.beginChange(key)
    defer { reads.endChange(key) }
    try await inAll { index, store in
      if index == 0 { try await store.store(entry, for: key) } else { try await store.removeEntry(for: key) }
    }
  }

  /// Replaces the metadata of an entry in every store that contains it.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    var isUpdated = false
    try await inAll { _, store in
      if try await store.updateMetadata(metadata, for: key) { isUpdated = true }
    }
    return isUpdated
  }

  /// Pins or unpins an entry in every store that contains it.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    var isFound = false
    try await inAll { _, store in
      if try await store.setPinned(isPinned, for: key) { isFound = true }
    }
    return isFound
  }

  /// Removes one entry from all stores.
  public func removeEntry(for key: CacheKey) async throws {
    reads.beginChange(key)
    defer { reads.endChange(key) }
    try await inAll { _, store in try await store.removeEntry(for: key) }
  }

  /// Removes all entries from all stores.
  public func removeAll() async throws {
    reads.beginChange(nil)
    defer { reads.endChange(nil) }
    try await inAll { _, store in try await store.removeAll() }
  }

  /// Copies an entry to the first store, unless it was changed since the read began. It was read even if that fails.
  private func copy(_ entry: StoredEntry, for key: CacheKey, _ read: OverlappingReads.Read) async {
    guard !reads.isChanged(key, since: read) else { return }
    try? await stores[0].store(entry, for: key)
    // A change that came between may have been undone by the copy.
    if reads.isChanged(key, since: read) { try? await stores[0].removeEntry(for: key) }
  }

  /// The result of the first store that has one; stores that fail are skipped.
  ///
  /// - Throws: The error of the last store, if all fail.
  private func firstResult<Result>(
    _ read: (_ index: Int, _ store: any DataStore) async throws -> Result?
  ) async throws -> Result? {
    var (hasRead, failure): (Bool, (any Error)?) = (false, nil)
    for (index, store) in stores.enumerated() {
      do {
        if let result = try await read(index, store) { return result }
        hasRead = true
      } catch {
        try Task.checkCancellation()
        failure = error
      }
    }
    if !hasRead, let failure { throw failure }
    return nil
  }

  /// Applies a change to every store, then throws the first error.
  private func inAll(_ change: (_ index: Int, _ store: any DataStore) async throws -> Void) async throws {
    var failure: (any Error)?
    for (index, store) in stores.enumerated() {
      do { try await change(index, store) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
