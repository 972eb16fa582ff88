import HalcyonSupport
import HalcyonCache

/// A store whose failures are told: loads go on without it, and would keep them to themselves.
struct ObservedStore: DataStore {
  let base: any DataStore
  let tell: @Sendable (PipelineEvent.Kind) -> Void

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    try await observing { try await base.entry(for: key) }
  }

  func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    try await observing { try await base.lookUp(key, extending: extending) }
  }

  func containsEntry(for key: CacheKey) async throws -> Bool {
    try await observing { try await base.containsEntry(for: key) }
  }

  func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    try await observing { try await base.metadata(for: key) }
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await observing { try await base.store(entry, for: key) }
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await observing { try await base.updateMetadata(metadata, for: key) }
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await observing { try await base.setPinned(isPinned, for: key) }
  }

  func removeEntry(for key: CacheKey) async throws { try await observing { try await base.removeEntry(for: key) } }

  func removeAll() async throws { try await observing { try await base.removeAll() } }

  private func observing<Value>(_ call: () async throws -> Value) async throws -> Value {
    do {
      return try await call()
    } catch {
      if !(error is CancellationError) { tell(.storeFailed(error)) }
      throw error
    }
  }
}

extension PipelineConfiguration {
  /// A store that tells those who listen of its failures.
  func observed(_ store: (any DataStore)?) -> (any DataStore)? {
    guard let store, let eventHandler else { return store }
    return ObservedStore(base: store) { eventHandler(PipelineEvent(load: nil, kind: $0)) }
  }
}
