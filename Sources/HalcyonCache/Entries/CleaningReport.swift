/// The entries removed by a cleaning.
public struct CleaningReport: Hashable, Sendable {
  /// The entries removed for one reason.
  public struct Removal: Hashable, Sendable {
    /// The number of entries.
    public var count: Int
    /// Their size: bytes of pixels in memory, bytes of disk space on disk.
    public var byteCount: Int

    /// Creates a removal.
    package init(count: Int = 0, byteCount: Int = 0) {
      self.count = count
      self.byteCount = byteCount
    }

    static func += (left: inout Removal, right: Removal) {
      left.count += right.count
      left.byteCount += right.byteCount
    }
  }

  /// Entries removed from memory, by reason.
  public var memory: [EvictionReason: Removal] = [:]
  /// Entries removed from disk, by reason.
  public var disk: [EvictionReason: Removal] = [:]

  /// Creates an empty report.
  package init() {}

  /// All removed entries.
  public var total: Removal {
    (Array(memory.values) + Array(disk.values)).reduce(into: Removal()) { $0 += $1 }
  }

  mutating func noteOnDisk(_ removal: Removal, _ reason: EvictionReason) {
    if removal.count > 0 { disk[reason, default: Removal()] += removal }
  }

  mutating func add(_ other: CleaningReport) {
    memory.merge(other.memory) { Removal(count: $0.count + $1.count, byteCount: $0.byteCount + $1.byteCount) }
    disk.merge(other.disk) { Removal(count: $0.count + $1.count, byteCount: $0.byteCount + $1.byteCount) }
  }
}

extension CleaningReport: CustomStringConvertible {
  /// For example `disk: 1 by size (8192 bytes), 3 by expiration (24576 bytes)`.
  public var description: String {
    let parts = [("memory", memory), ("disk", disk)].compactMap { tier, removals -> String? in
      let texts = EvictionReason.allCases.compactMap { reason in
        removals[reason].map { "\($0.count) by \(reason.rawValue) (\($0.byteCount) bytes)" }
      }
      return texts.isEmpty ? nil : "\(tier): \(texts.joined(separator: ", "))"
    }
    return parts.isEmpty ? "nothing removed" : parts.joined(separator: "; ")
  }
}
