extension ImageCache {
  /// What the tiers take.
  public struct Usage: Hashable, Sendable {
    /// Bytes of pixels in memory; `nil` for a memory tier that is not a ``MemoryCache``.
    public let memoryByteCount: Int?
    /// Bytes of disk space; `nil` where the store is not a ``DiskCache``, and where there is none.
    public let diskByteCount: Int?
  }

  /// What the tiers take now.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails.
  public var usage: Usage {
    get async throws {
      Usage(memoryByteCount: (memory as? MemoryCache)?.totalCost, diskByteCount: try await disk?.totalSize)
    }
  }

  /// Forgets everything in both tiers, once what is being written is there.
  ///
  /// - Throws: What the store throws; memory is empty all the same.
  public func removeAll() async throws {
    memory.removeAll()
    await flush()
    try await store?.removeAll()
  }

  /// Forgets what has expired in a ``MemoryCache`` and in a ``DiskCache``, reading no image; other tiers see to
  /// themselves.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails.
  public func removeExpired() async throws {
    (memory as? MemoryCache)?.removeExpired()
    try await disk?.removeExpired()
  }

  /// Cleans now: what has expired in a ``MemoryCache``, and what the ``CleaningPolicy`` of a ``DiskCache`` says, reading no
  /// image.
  ///
  /// - Returns: What was removed.
  /// - Throws: ``DiskCacheError`` when the file system fails.
  @discardableResult
  public func clean() async throws -> CleaningReport {
    var report = try await disk?.clean() ?? CleaningReport()
    if let removed = (memory as? MemoryCache)?.removeExpired(), removed.count > 0 { report.memory[.expiration] = removed }
    return report
  }
}
