extension ImageCache {
  /// What the tiers take.
  public struct Usage: Hashable, Sendable {
    /// Bytes of pixels in memory; `nil` for a memory tier that is neither a ``MemoryCache`` nor a chain of some.
    public let memoryByteCount: Int?
    /// Bytes of disk space; `nil` where the store is neither a ``DiskCache`` nor a chain with one, and
    /// where there is none.
    public let diskByteCount: Int?
  }

  /// What the tiers take now.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails.
  public var usage: Usage {
    get async throws {
      var diskByteCount = 0
      for disk in disks { diskByteCount += try await disk.totalSize }
      return Usage(
        memoryByteCount: memories.isEmpty ? nil : memories.reduce(0) { $0 + $1.totalCost },
        diskByteCount: disks.isEmpty ? nil : diskByteCount)
    }
  }

  /// Forgets everything in both tiers, once what is being written is there.
  ///
  /// - Throws: What the store throws; memory is empty all the same.
  public func removeAll() async throws {
    memory.removeAll()
    placeholders.removeAll()
    await flush()
    try await store?.removeAll()
  }

  /// Forgets what has expired in a ``MemoryCache`` and in a ``DiskCache``, reading no image; other tiers see to
  /// themselves.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails.
  public func removeExpired() async throws {
    for memory in memories { memory.removeExpired() }
    for disk in disks { try await disk.removeExpired() }
  }

  /// Cleans now: what has expired in a ``MemoryCache``, and what the ``CleaningPolicy`` of a ``DiskCache`` says, reading no
  /// image.
  ///
  /// - Returns: What was removed.
  /// - Throws: ``DiskCacheError`` when the file system fails.
  @discardableResult
  public func clean() async throws -> CleaningReport {
    var report = CleaningReport()
    for memory in memories {
      let removed = memory.removeExpired()
      if removed.count > 0 { report.memory[.expiration, default: CleaningReport.Removal()] += removed }
    }
    for disk in disks { report.add(try await disk.clean()) }
    return report
  }
}
