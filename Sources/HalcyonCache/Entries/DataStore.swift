public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import Foundation

/// Keeps encoded images beyond the life of the process: a disk, a database, a server shared by many.
///
/// A conformer keeps these laws:
/// - An entry is returned whole and unchanged, under a key equal to the one it was stored under, or not at all.
/// - What was stored is found by every later read, until it is removed, evicted or expired.
/// - A failed call leaves the store usable and no part of an entry behind.
/// - Nothing blocks one of Swift's cooperative threads. Calls may be made at once from several tasks.
public protocol DataStore: Sendable {
  /// The entry stored under a key, or `nil`. Reading counts as use.
  func entry(for key: CacheKey) async throws -> StoredEntry?

  /// The entry stored under a key, or why there is none; reading counts as use, and `extending` says what it does to the
  /// entry's life.
  ///
  /// A store that does not implement this says that what ``entry(for:)`` does not give is absent, and extends lives in
  /// its one way.
  func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry>

  /// Whether the key has an entry. Asking counts for nothing.
  ///
  /// A store that does not implement this reads the entry.
  func containsEntry(for key: CacheKey) async throws -> Bool

  /// What is known about an entry, or `nil`. Asking counts for nothing.
  ///
  /// A store that does not implement this reads the entry.
  func metadata(for key: CacheKey) async throws -> EntryMetadata?

  /// Keeps an entry, replacing what the key had.
  func store(_ entry: StoredEntry, for key: CacheKey) async throws

  /// Changes what is known about an entry and leaves its bytes as they are.
  ///
  /// - Returns: Whether the key had an entry.
  @discardableResult
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool

  /// Keeps an entry from being evicted, or lets it go again.
  ///
  /// A store that evicts nothing need not implement this.
  ///
  /// - Returns: Whether the key had an entry, and could be pinned.
  @discardableResult
  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool

  /// Forgets one entry.
  func removeEntry(for key: CacheKey) async throws

  /// Forgets all entries.
  func removeAll() async throws
}

extension DataStore {
  /// The entry stored under a key; what is not given is absent, and `extending` changes nothing.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    try await entry(for: key).map { .hit($0) } ?? .miss(.absent)
  }

  /// The entry stored under a key, or why there is none; reading extends its life as the store does by itself.
  public func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    try await lookUp(key, extending: .renewed)
  }

  /// Pins nothing.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool { false }

  /// Whether the key has an entry; reads it to find out.
  public func containsEntry(for key: CacheKey) async throws -> Bool { try await entry(for: key) != nil }

  /// What is known about an entry; reads it to find out.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? { try await entry(for: key)?.metadata }
}
