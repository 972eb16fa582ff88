import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// `halcyon cache get`: writes the encoded image of an entry to a file or to standard output.
struct CacheGetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Writes a stored image, with its original bytes.",
    discussion: """
      Examples:
        halcyon cache get https://example.com/photo.jpg -o photo.jpg
        halcyon cache get https://example.com/photo.jpg > photo.jpg
      """)

  @Argument(help: "The URL or the key of the entry.")
  var entry: String

  @OptionGroup var options: CacheOptions

  @Option(name: .shortAndLong, help: "The file. Default: standard output.", completion: .file())
  var output: String?

  @Flag(help: "Replace that file if it exists.")
  var overwrite = false

  func run() async throws {
    let cache = try options.cache()
    try await Interruption.run {
      for try await candidate in cache.entries where candidate.isNamed(entry) {
        // Replaced or damaged meanwhile: there may be another variant.
        guard let body = try await cache.body(of: candidate) else { continue }
        if let output, output != "-" { return try OutputFile.write(body, toNamed: output, overwrites: overwrite) }
        return try StandardOutput.write(body)
      }
      throw CacheError.noEntry(entry)
    }
  }
}

/// `halcyon cache rm`: removes entries.
struct CacheRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Removes entries by URL, key, host, tag, size or age.",
    discussion: """
      A URL removes all variants of its image. Filters select the entries that match all of them.

      Examples:
        halcyon cache rm https://example.com/photo.jpg
        halcyon cache rm --host example.com
        halcyon cache rm --tag avatars --older-than 7d

      Exit status: 0 if an entry was removed, or only filters are given; 1 if the cache has no entry for a URL or key.
      """)

  @Argument(help: "URLs before redirects, or keys.")
  var entries: [String] = []

  @OptionGroup var options: CacheOptions
  @OptionGroup var filter: EntryFilter

  @Flag(help: "Print what would be removed, and remove nothing.")
  var dryRun = false

  func validate() throws {
    if entries.isEmpty == filter.isEmpty {
      throw ValidationError("Name URLs or keys, or give filters. halcyon cache clear removes all entries.")
    }
  }

  func run() async throws {
    let cache = try options.cache(dryRun ? CacheOptions.reading : CacheOptions.passive)
    try await Interruption.run {
      var missing: [String] = []
      var count = 0
      if dryRun {
        count = try await list(cache)
      } else if entries.isEmpty {
        count = try await removeMatching(from: cache)
      }
      for (index, entry) in entries.enumerated() where !dryRun && !entries[..<index].contains(entry) {
        let removed = try await remove(entry, from: cache)
        if removed == 0 { missing.append(entry) }
        count += removed
      }
      let action = dryRun ? "Would remove" : "Removed"
      StandardOutput.write("\(action) \(count.countedEntries).")
      for entry in missing { StandardError.write("Error: \(CacheError.noEntry(entry))") }
      if !missing.isEmpty { throw ExitCode.failure }
    }
  }

  private func list(_ cache: DiskCache) async throws -> Int {
    var count = 0
    for try await entry in cache.entries where isSelected(entry, Date()) {
      StandardOutput.write(entry.title)
      count += 1
    }
    return count
  }

  private func isSelected(_ entry: DiskCacheEntry, _ now: Date) -> Bool {
    entries.isEmpty ? filter.matches(entry, now: now) : entries.contains { entry.isNamed($0) }
  }

  private func removeMatching(from cache: DiskCache) async throws -> Int {
    let now = Date()
    return try await cache.removeEntries { filter.matches($0, now: now) }
  }

  private func remove(_ name: String, from cache: DiskCache) async throws -> Int {
    // Found by the index, without reading entries, in most cases.
    let removed = try await cache.removeEntries(from: .string(name))
    return removed > 0 ? removed : try await cache.removeEntries { $0.isNamed(name) }
  }
}
