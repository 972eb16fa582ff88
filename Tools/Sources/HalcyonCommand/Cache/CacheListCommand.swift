import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// `halcyon cache ls`: prints the entries, one line each.
struct CacheListCommand: AsyncParsableCommand {
  enum Sorting: String, ExpressibleByArgument, CaseIterable {
    case none, size, age, expiration, url
  }

  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "Lists the entries of a cache.",
    discussion: """
      Prints size on disk, age, state and URL of each entry. Without --sort entries are printed as they are read, in no \
      particular order.

      Examples:
        halcyon cache ls --sort size --limit 20
        halcyon cache ls --host example.com --older-than 7d --json
      """)

  @OptionGroup var options: CacheOptions
  @OptionGroup var filter: EntryFilter

  @Option(help: "none, size (largest first), age (oldest first), expiration (soonest first) or url.")
  var sort = Sorting.none

  @Flag(help: "Reverse the order of --sort.")
  var reverse = false

  @Option(help: "The most entries to print.")
  var limit: Int?

  @Flag(help: "Print one JSON object per entry, with its key, headers and dates.")
  var json = false

  func validate() throws {
    try check("limit", limit, in: 1 ... .max)
  }

  func run() async throws {
    let cache = try options.cache()
    try await Interruption.run { try await list(cache) }
  }

  private func list(_ cache: DiskCache) async throws {
    let now = Date()
    var count = 0
    var found: [DiskCacheEntry] = []
    for try await entry in cache.entries where filter.matches(entry, now: now) {
      if sort == .none {
        try show(entry)
        count += 1
        if count == limit { return }
      } else {
        found.append(entry)
      }
    }
    found.sort { reverse ? isBefore($1, $0) : isBefore($0, $1) }
    for entry in found.prefix(limit ?? .max) { try show(entry) }
  }

  private func isBefore(_ one: DiskCacheEntry, _ other: DiskCacheEntry) -> Bool {
    switch sort {
    case .size: one.diskByteCount > other.diskByteCount
    case .age, .none: one.storedDate < other.storedDate
    case .expiration: one.expirationDate ?? .distantFuture < other.expirationDate ?? .distantFuture
    case .url: one.title < other.title
    }
  }

  private func show(_ entry: DiskCacheEntry) throws {
    StandardOutput.write(json ? try JSONLine.encode(entry.fields) : entry.line)
  }
}

extension DiskCacheEntry {
  /// The output of `halcyon cache ls --json`.
  fileprivate var fields: [String: (any Encodable)?] {
    [
      "key": key.text, "source": source, "url": metadata.url?.absoluteString, "host": host, "status": metadata.status,
      "type": metadata.headers["Content-Type"], "diskBytes": diskByteCount, "bodyBytes": bodyByteCount,
      "stored": storedDate.ISO8601Format(), "expires": expirationDate?.ISO8601Format(), "isExpired": isExpired,
      "isPinned": isPinned, "tags": metadata.tags, "headers": metadata.headers.fields.map { [$0.name, $0.value] },
    ]
  }

  fileprivate var line: String {
    var parts = [
      ByteCountFormatter.string(fromByteCount: Int64(diskByteCount), countStyle: .file),
      storedDate.ISO8601Format(), metadata.headers["Content-Type"] ?? "-", title,
    ]
    if isExpired { parts.append("expired") }
    if isPinned { parts.append("pinned") }
    if !metadata.tags.isEmpty { parts.append("tags " + metadata.tags.joined(separator: " ")) }
    return parts.joined(separator: "  ")
  }
}
