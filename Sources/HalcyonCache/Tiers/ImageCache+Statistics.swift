extension ImageCache {
  /// What the tiers have done since they were made.
  public struct Statistics: Hashable, Sendable {
    /// `nil` for a memory tier that is not a ``MemoryCache``.
    public let memory: MemoryCacheStatistics?
    /// `nil` where the store is not a ``DiskCache``, and where there is none.
    public let disk: DiskCacheStatistics?
  }

  /// What the tiers have done since they were made. Takes microseconds, and no file is looked at.
  public var statistics: Statistics {
    Statistics(memory: (memory as? MemoryCache)?.statistics, disk: disk?.statistics)
  }

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
}

extension ImageCache.Statistics: CustomStringConvertible {
  /// In one line, for example
  /// `memory: 90 of 100 reads hit, 3 images of 786432 bytes; disk: 8 of 10 reads hit (absent 2), 3 stored, 0 evicted`.
  public var description: String {
    let parts = [memory.map { "memory: \($0)" }, disk.map { "disk: \($0)" }].compactMap(\.self)
    return parts.isEmpty ? "no tier counts" : parts.joined(separator: "; ")
  }
}

extension MemoryCacheStatistics: CustomStringConvertible {
  /// For example `90 of 100 reads hit, 12 images of 3145728 bytes`.
  public var description: String {
    let reads = hits + missesAbsent + missesExpired
    return "\(hits) of \(reads) reads hit, \(count) images of \(totalCost) bytes"
  }
}

extension DiskCacheStatistics: CustomStringConvertible {
  /// For example `8 of 10 reads hit (absent 2), 3 stored, 0 evicted`.
  public var description: String {
    let reasons = MissReason.allCases.compactMap { reason in misses[reason].map { "\(reason) \($0)" } }
    let detail = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    return "\(hits) of \(hits + misses.values.reduce(0, +)) reads hit\(detail), \(stores) stored, \(evictions) evicted"
  }
}
