import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// `halcyon cache clean`: removes expired entries, and the least recently used ones over a limit.
struct CacheCleanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean", abstract: "Removes expired entries, and those over a size limit.",
    discussion: """
      Completes or undoes the writes of killed programs, and removes entries that have expired by a date or time of \
      their own. Entries without one expire, and the size is limited, only by the options here.

      Examples:
        halcyon cache clean --size-limit 200M
        halcyon cache clean --max-unused 30d
      """)

  @OptionGroup var options: CacheOptions

  @Option(help: "Evict the least recently used entries until the cache takes at most this, for example 200M.")
  var sizeLimit: ByteCountArgument?

  @Option(help: "Remove entries without an expiration of their own that were not used for so long, for example 30d.")
  var maxUnused: AgeArgument?

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    var configuration = CacheOptions.passive
    if let sizeLimit { configuration.sizeLimit = sizeLimit.byteCount }
    if let maxUnused { configuration.expiration = .after(.seconds(maxUnused.seconds)) }
    let cache = try options.cache(configuration)
    try await Interruption.run {
      let report = try await cache.clean()
      if json {
        StandardOutput.write(
          try JSONLine.encode(["removed": report.total.count, "bytes": report.total.byteCount]))
      } else {
        StandardOutput.write("\(report)")
      }
    }
  }
}

/// `halcyon cache clear`: removes all entries.
struct CacheClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Removes all entries of a cache, pinned ones included.",
    discussion: "Asks before, unless --yes is given.")

  @OptionGroup var options: CacheOptions

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  func run() async throws {
    let cache = try options.cache(CacheOptions.passive)
    try await Interruption.run {
      let count = try await cache.count
      if !yes {
        let question =
          "Remove \(count == 1 ? "the entry" : "all \(count) entries") of \(cache.directory.path(percentEncoded: false))? [y/N] "
        StandardError.write(question, terminator: "")
        guard let reply = readLine(), ["y", "yes"].contains(reply.lowercased()) else { throw CacheError.notConfirmed }
      }
      try await cache.removeAll()
      StandardOutput.write("Removed \(count.countedEntries).")
    }
  }
}
