extension ImageCache {
  /// The counters of the tiers since their creation.
  public struct Statistics: Hashable, Sendable {
    /// `nil` for a memory tier that is not a ``MemoryCache``.
    public let memory: MemoryCacheStatistics?
    /// `nil` without a store, and for a store that is not a ``DiskCache``.
    public let disk: DiskCacheStatistics?
  }

  /// The counters of the tiers since their creation. Takes microseconds and reads no files.
  public var statistics: Statistics {
    Statistics(memory: (memory as? MemoryCache)?.statistics, disk: disk?.statistics)
  }

  /// The memory and disk space that the tiers use.
  public struct Usage: Hashable, Sendable {
    /// Bytes of pixels in memory; `nil` for a memory tier that is neither a ``MemoryCache`` nor a chain with one.
    public let memoryByteCount: Int?
    /// Bytes of disk space; `nil` without a store, and for a store that is neither a ``DiskCache`` nor a chain with one.
    public let diskByteCount: Int?
  }

  /// The memory and disk space that the tiers use now.
  ///
  /// - Throws: ``DiskCacheError`` if the file system fails.
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
  /// One line, for example
  /// `memory: 90 of 100 reads hit, 3 images of 786432 bytes; disk: 8 of 10 reads hit (absent 2), 3 stored, 0 evicted`.
  public var description: String {
    let parts = [memory.map { "memory: \($0)" }, disk.map { "disk: \($0)" }].compactMap(\.self)
    return parts.isEmpty ? "no statistics" : parts.joined(separator: "; ")
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
