public import HalcyonSupport

extension DiskCache {
  /// The disk space of all entries, in bytes.
  public var totalSize: Int {
    get async throws { try await withWriter { writer in try await writer.totalSize() } }
  }

  /// The number of entries.
  public var count: Int {
    get async throws { try await withWriter { writer in try await writer.count() } }
  }

  /// All entries with their metadata, in no particular order; images are not read.
  ///
  /// The iteration throws ``DiskCacheError`` when the file system fails, and `CancellationError` when the task is cancelled.
  /// Entries that are stored or removed during the iteration may be included or not.
  public var entries: Entries { Entries(cache: self) }

  /// Pins an entry, which exempts it from eviction, or unpins it.
  ///
  /// Pinned entries count toward the size limit and expire like all others.
  ///
  /// - Returns: Whether there is an entry under `key`.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await withWriter { writer in try await writer.setPinned(isPinned, for: key) }
  }

  /// Removes every variant stored for a source, which loads in flight do not store again.
  ///
  /// - Parameter source: A URL before redirects, or a custom key.
  /// - Returns: The number of entries removed.
  @discardableResult
  public func removeEntries(ofSource source: String) async throws -> Int {
    removals.record(source: source)
    defer { removals.record(source: source) }
    return try await withWriter { writer in try await writer.remove(.source(source)) }
  }

  package func removeReplaced(ofSource source: String, except key: CacheKey?) async throws {
    _ = try await withWriter { writer in try await writer.remove(.source(source, except: key)) }
  }

  /// Removes the entries that have a tag. Loads in flight store nothing.
  ///
  /// - Returns: The number of entries removed.
  @discardableResult
  public func removeEntries(taggedWith tag: String) async throws -> Int {
    try await removals.recordAll { try await withWriter { writer in try await writer.remove(.tag(tag)) } }
  }

  /// Removes the entries that satisfy `condition`, which is called for every entry; images are not read.
  ///
  /// A load in flight may store an entry again.
  ///
  /// - Returns: The number of entries removed.
  @discardableResult
  public func removeEntries(where condition: (DiskCacheEntry) async throws -> Bool) async throws -> Int {
    var removedCount = 0
    for try await entry in entries where try await condition(entry) {
      removedCount += try await withWriter { writer in try await writer.removeUnchanged(entry.id) }
    }
    return removedCount
  }

  /// Removes the entries that have expired. Reads no entry file.
  package func removeExpired() async throws {
    let context = context
    try await withWriter { writer in
      counters.countEvictions(try await writer.removeExpired(context), .expiration)
    }
  }

  /// Evicts the least recently used entries until the others are within the size limit.
  package func trim() async throws {
    try await withWriter { writer in try await writer.trim() }
  }
}
