public import HalcyonSupport

/// A store of encoded images that outlive the process: a disk, a database or a shared server.
///
/// A conformer keeps these laws:
/// - An entry is returned complete and unchanged, and only under a key equal to the one it was stored under.
/// - A stored entry is found by every later read, until it is removed, evicted or expired.
/// - A failed call leaves the store usable, without a partial entry.
/// - No call blocks a thread of Swift's cooperative pool. Calls may be made concurrently from several tasks.
public protocol DataStore: Sendable {
  /// The entry stored under a key, or `nil`. Reading counts as use.
  func entry(for key: CacheKey) async throws -> StoredEntry?

  /// Whether there is an entry for the key. Does not count as use.
  ///
  /// Default: reads the entry.
  func containsEntry(for key: CacheKey) async throws -> Bool

  /// The metadata of an entry, or `nil`. Does not count as use.
  ///
  /// Default: reads the entry.
  func metadata(for key: CacheKey) async throws -> EntryMetadata?

  /// Stores an entry, replacing any entry under the key.
  func store(_ entry: StoredEntry, for key: CacheKey) async throws

  /// Replaces the metadata of an entry without rewriting its body.
  ///
  /// - Returns: Whether there is an entry for the key.
  @discardableResult
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool

  /// Pins an entry, which protects it from eviction, or unpins it.
  ///
  /// Default: does nothing and returns `false`, for stores without eviction.
  ///
  /// - Returns: Whether there is an entry for the key and the store supports pinning.
  @discardableResult
  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool

  /// Removes one entry.
  func removeEntry(for key: CacheKey) async throws

  /// Removes all entries of a source: its original bytes, and all images made of them.
  ///
  /// Called when a program removes an image, and when another original has replaced the one that images were made of.
  ///
  /// Default: removes nothing and returns 0, for stores that find entries by their keys only. Images made of a removed
  /// original then stay in the store, until their own requests remove them; those of a replaced one are not served.
  ///
  /// - Parameter source: The URL before redirects, or the custom key, of the requests.
  /// - Returns: The number of entries removed; 0 for a store that invalidates without counting.
  @discardableResult
  func removeEntries(ofSource source: String) async throws -> Int

  /// Removes all entries.
  func removeAll() async throws
}

extension DataStore {
  /// Pins nothing and returns `false`.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool { false }

  /// Removes nothing and returns 0.
  @discardableResult
  public func removeEntries(ofSource source: String) async throws -> Int { 0 }

  /// Whether there is an entry for the key; reads the entry.
  public func containsEntry(for key: CacheKey) async throws -> Bool { try await entry(for: key) != nil }

  /// The metadata of an entry; reads the entry.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? { try await entry(for: key)?.metadata }
}
