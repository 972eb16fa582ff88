public import HalcyonSupport

/// Several stores that are asked one after the other, the nearest first.
///
/// What another than the first has is copied to the first, and found there next time; a copy that fails is not made.
/// New entries go to the first, and what the others have under the same key is removed, so that nothing older comes
/// back when the first evicts, or fails.
///
/// A store that fails is passed over when the chain is asked; where all fail, the last failure is thrown. A change goes
/// to every store, whatever comes of it in the others, and then the first failure is thrown.
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
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    var firstMiss: CacheMiss?
    let found = try await firstAnswer { index, store -> StoredEntry? in
      switch try await store.lookUp(key, extending: extending) {
      case .hit(let entry):
        // The entry is there, whatever comes of the copy.
        if index > 0 { try? await stores[0].store(entry, for: key) }
        return entry
      case .miss(let miss):
        firstMiss = firstMiss ?? miss
        return nil
      }
    }
    return found.map { .hit($0) } ?? .miss(firstMiss ?? .absent)
  }

  /// Whether any store has an entry.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    let answer = try await firstAnswer { _, store -> Bool? in
      try await store.containsEntry(for: key) ? true : nil
    }
    return answer != nil
  }

  /// What is known about the entry in the first store that has one.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    try await firstAnswer { _, store in try await store.metadata(for: key) }
  }

  /// Keeps an entry in the first store, and removes what the others have, whether or not the first keeps it.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await inAll { index, store in
      if index == 0 { try await store.store(entry, for: key) } else { try await store.removeEntry(for: key) }
    }
  }

  /// Changes what is known about an entry wherever it is.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    var isUpdated = false
    try await inAll { _, store in
      if try await store.updateMetadata(metadata, for: key) { isUpdated = true }
    }
    return isUpdated
  }

  /// Pins an entry wherever it is, or lets it go again.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    var isFound = false
    try await inAll { _, store in
      if try await store.setPinned(isPinned, for: key) { isFound = true }
    }
    return isFound
  }

  /// Forgets one entry everywhere.
  public func removeEntry(for key: CacheKey) async throws {
    try await inAll { _, store in try await store.removeEntry(for: key) }
  }

  /// Forgets all entries everywhere.
  public func removeAll() async throws {
    try await inAll { _, store in try await store.removeAll() }
  }

  /// What the first store gives that has something; those that fail are passed over.
  ///
  /// - Throws: What the last store throws, where all fail.
  private func firstAnswer<Answer>(
    _ ask: (_ index: Int, _ store: any DataStore) async throws -> Answer?
  ) async throws -> Answer? {
    var (hasAnswer, failure): (Bool, (any Error)?) = (false, nil)
    for (index, store) in stores.enumerated() {
      do {
        if let answer = try await ask(index, store) { return answer }
        hasAnswer = true
      } catch {
        try Task.checkCancellation()
        failure = error
      }
    }
    if !hasAnswer, let failure { throw failure }
    return nil
  }

  /// Does something in every store, then throws the first failure.
  private func inAll(_ work: (_ index: Int, _ store: any DataStore) async throws -> Void) async throws {
    var failure: (any Error)?
    for (index, store) in stores.enumerated() {
      do { try await work(index, store) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
