import HalcyonSupport
import HalcyonCache

/// What one request wants of the entries that it reads and writes.
struct StoreOptions: Hashable {
  var expiration: CacheExpiration?
  var extending = ExpirationExtension.renewed
  var tags: [String] = []
  var isPinned = false
}

/// A store as one request sees it: what is written gets the request's expiration, tags and pin, and reading extends
/// lives as the request says.
struct RequestStore: DataStore {
  let base: any DataStore
  let terms: StoreOptions

  func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    let answer = try await base.lookUp(key, extending: extending == .renewed ? terms.extending : extending)
    if case .hit = answer { await pin(key) }
    return answer
  }

  func containsEntry(for key: CacheKey) async throws -> Bool { try await base.containsEntry(for: key) }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    var entry = entry
    label(&entry.metadata)
    try await base.store(entry, for: key)
    await pin(key)
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    var metadata = metadata
    label(&metadata)
    return try await base.updateMetadata(metadata, for: key)
  }

  func metadata(for key: CacheKey) async throws -> EntryMetadata? { try await base.metadata(for: key) }

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await base.setPinned(isPinned, for: key)
  }

  func removeEntry(for key: CacheKey) async throws { try await base.removeEntry(for: key) }

  func removeAll() async throws { try await base.removeAll() }

  private func label(_ metadata: inout EntryMetadata) {
    metadata.expiration = terms.expiration ?? metadata.expiration
    metadata.tags += terms.tags.filter { !metadata.tags.contains($0) }
  }

  /// What cannot be pinned is there all the same.
  private func pin(_ key: CacheKey) async {
    if terms.isPinned { _ = try? await base.setPinned(true, for: key) }
  }
}
