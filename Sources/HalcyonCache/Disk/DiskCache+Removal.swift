extension DiskCache {
  /// Removes every variant stored for a source.
  ///
  /// - Parameter source: A URL before redirects, or a key that the caller chose.
  /// - Returns: The number of entries.
  package func removeEntries(ofSource source: String) async throws -> Int {
    try await changing { writer in try await writer.remove(.source(source)) }
  }

  /// Forgets the entries that carry a tag.
  ///
  /// - Returns: How many entries there were.
  @discardableResult
  public func removeEntries(taggedWith tag: String) async throws -> Int {
    try await changing { writer in try await writer.remove(.tag(tag)) }
  }

  /// Forgets what was asked from a host; upper and lower case are the same.
  ///
  /// - Returns: How many entries there were.
  @discardableResult
  public func removeEntries(fromHost host: String) async throws -> Int {
    try await changing { writer in try await writer.remove(.host(host)) }
  }

  /// Forgets the entries for which `condition` holds, looking at each; images are not read.
  ///
  /// - Returns: How many entries there were.
  @discardableResult
  public func removeEntries(where condition: (DiskCacheEntry) async throws -> Bool) async throws -> Int {
    var removedCount = 0
    for try await entry in entries where try await condition(entry) {
      removedCount += try await changing { writer in try await writer.removeUnchanged(entry.id) }
    }
    return removedCount
  }

  /// Forgets the entries that have expired, reading no file.
  public func removeExpired() async throws {
    let terms = terms
    try await changing { writer in counters.note(try await writer.removeExpired(on: terms), .expiration) }
  }

  /// Evicts what is over the limit now.
  public func trim() async throws {
    try await changing { writer in try await writer.trim() }
  }
}
