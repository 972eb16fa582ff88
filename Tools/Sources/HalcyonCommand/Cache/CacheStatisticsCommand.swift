import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// `halcyon cache stat`: prints how many entries there are, and how much space they take.
struct CacheStatisticsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat", abstract: "Shows size, age, hosts and formats of a cache.")

  @OptionGroup var options: CacheOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let cache = try options.cache()
    try await Interruption.run {
      var report = CacheReport(directory: cache.directory.path(percentEncoded: false))
      report.diskBytes = try await cache.totalSize
      for try await entry in cache.entries { report.add(entry) }
      for line in json ? [try JSONLine.encode(report.fields)] : report.lines { StandardOutput.write(line) }
    }
  }
}

/// The output of `halcyon cache stat`.
private struct CacheReport {
  struct Group {
    var entries = 0
    var bytes = 0
  }

  let directory: String
  var entries = 0
  /// The disk space of all entries.
  var diskBytes = 0
  /// The encoded images alone.
  var bodyBytes = 0
  var expired = 0
  var pinned = 0
  var hosts: [String: Group] = [:]
  var types: [String: Group] = [:]
  private var dates: ClosedRange<Date>?

  init(directory: String) { self.directory = directory }

  var fields: [String: (any Encodable)?] {
    func fields(_ groups: [String: Group]) -> [String: [String: Int]] {
      groups.mapValues { ["entries": $0.entries, "bytes": $0.bytes] }
    }
    return [
      "directory": directory, "entries": entries, "diskBytes": diskBytes, "bodyBytes": bodyBytes, "expired": expired,
      "pinned": pinned, "oldest": dates?.lowerBound.ISO8601Format(), "newest": dates?.upperBound.ISO8601Format(),
      "hosts": fields(hosts), "types": fields(types),
    ]
  }

  mutating func add(_ entry: DiskCacheEntry) {
    entries += 1
    bodyBytes += entry.bodyByteCount
    if entry.isExpired { expired += 1 }
    if entry.isPinned { pinned += 1 }
    let date = entry.storedDate
    dates = dates.map { min($0.lowerBound, date)...max($0.upperBound, date) } ?? date...date
    Self.count(entry, in: &hosts[entry.host ?? "(none)", default: Group()])
    Self.count(entry, in: &types[entry.metadata.headers["Content-Type"] ?? "(none)", default: Group()])
  }

  private static func count(_ entry: DiskCacheEntry, in group: inout Group) {
    group.entries += 1
    group.bytes += entry.diskByteCount
  }

  var lines: [String] {
    var lines = [
      directory, "\(entries.countedEntries), \(Self.size(diskBytes)) on disk, \(Self.size(bodyBytes)) of images",
    ]
    if expired > 0 || pinned > 0 { lines.append("\(expired) expired, \(pinned) pinned") }
    if let dates {
      lines.append("stored from \(dates.lowerBound.ISO8601Format()) to \(dates.upperBound.ISO8601Format())")
    }
    for (name, groups) in [("hosts", hosts), ("types", types)] where !groups.isEmpty {
      lines.append("\(name):")
      let largest = groups.sorted { ($0.value.bytes, $1.key) > ($1.value.bytes, $0.key) }
      for (key, group) in largest.prefix(10) {
        lines.append("  \(Self.size(group.bytes))  \(group.entries)  \(key)")
      }
      if largest.count > 10 { lines.append("  and \(largest.count - 10) more") }
    }
    return lines
  }

  private static func size(_ count: Int) -> String {
    ByteCountFormatter.string(fromByteCount: Int64(count), countStyle: .file)
  }
}
