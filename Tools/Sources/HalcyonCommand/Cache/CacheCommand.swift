import ArgumentParser
import Foundation
import Halcyon
@_spi(Programs) import HalcyonCache

/// `halcyon cache`: examines and changes a disk cache, also one that other programs are using.
struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "Lists, checks, fills and empties a disk cache.",
    discussion: """
      Works on the cache of this program, or with --cache-dir on the cache of any program that uses Halcyon, also \
      while programs use it. Listing, reading and checking do not count as use of an entry, and nothing expires or is \
      evicted by them.

      Versions of Halcyon with different formats have entries of their own in one folder. A folder that has only \
      entries of another version is an error, and stays as it is. Commands that only read repair nothing.

      Exit status: 0 if all was done; 1 if an entry is missing or damaged or something failed; 64 for wrong arguments; \
      130 after Ctrl-C.
      """,
    subcommands: [
      CacheListCommand.self, CacheStatisticsCommand.self, CacheVerifyCommand.self, CacheGetCommand.self,
      CacheRemoveCommand.self, CacheWarmCommand.self, CacheCleanCommand.self, CacheClearCommand.self,
    ])
}

/// A cache that exists.
struct CacheOptions: ParsableArguments {
  @OptionGroup var folder: CacheFolderOption

  var url: URL { get throws { try folder.url } }

  /// A configuration under which nothing expires, is evicted or is cleaned because of this program's settings: the
  /// settings of the programs that use the cache are not known.
  static var passive: DiskCacheConfiguration {
    DiskCacheConfiguration(sizeLimit: 1 << 50, expiration: .never, cleaning: .whenAsked)
  }

  /// Like ``passive``, and nothing is repaired either.
  static var reading: DiskCacheConfiguration {
    var configuration = passive
    configuration.isRepairing = false
    return configuration
  }

  /// The cache, which has to exist.
  func cache(_ configuration: DiskCacheConfiguration = CacheOptions.reading) throws -> DiskCache {
    let url = try url
    let formats = DiskCache.formats(in: url)
    let path = url.path(percentEncoded: false)
    guard !formats.isEmpty else { throw CacheError.noCache(path) }
    guard formats.contains(DiskCache.format) else { throw CacheError.otherVersion(path, formats: formats) }
    return DiskCache(directory: url, configuration: configuration)
  }
}

/// Why a cache command failed.
enum CacheError: Error, CustomStringConvertible {
  case noCache(String)
  case otherVersion(String, formats: [Int])
  case noEntry(String)
  case notConfirmed

  var description: String {
    switch self {
    case .noCache(let path): "There is no cache in \(path). Name the folder of one with --cache-dir."
    case .otherVersion(let path, let formats):
      "The cache in \(path) is of another version of Halcyon (format \(formats.map(String.init).joined(separator: " and ")), "
        + "this one has \(DiskCache.format)). Use the command line of that version."
    case .noEntry(let name): "The cache has no entry for \(name). Give a URL or a key that halcyon cache ls prints."
    case .notConfirmed: "Nothing was removed. Confirm with y, or use --yes."
    }
  }
}

extension DiskCacheEntry {
  /// Whether an argument names the entry: its key, its source before redirects, or its URL after them.
  func isNamed(_ name: String) -> Bool {
    [key.text, source, metadata.url?.absoluteString].contains { $0?.hasSameBytes(as: name) ?? false }
  }

  /// The host of the source or, for a custom key, of the URL.
  var host: String? {
    (source.flatMap { URL(string: $0)?.host() } ?? metadata.url?.host())?.lowercased()
  }

  /// The name of the entry for people: its source, URL or key.
  var title: String { source ?? metadata.url?.absoluteString ?? key.text }
}

/// Filters that several cache commands have.
struct EntryFilter: ParsableArguments {
  @Option(help: "Only entries from this host.")
  var host: String?

  @Option(help: "Only entries with this tag.")
  var tag: String?

  @Option(help: "Only entries of at least this many bytes on disk; with the suffix K, M or G of 1024 times as many.")
  var minSize: ByteCountArgument?

  @Option(help: "Only entries of at most this many bytes on disk.")
  var maxSize: ByteCountArgument?

  @Option(help: "Only entries stored at least this long ago, for example 90s, 15m, 12h or 7d.")
  var olderThan: AgeArgument?

  @Option(help: "Only entries stored at most this long ago.")
  var newerThan: AgeArgument?

  @Flag(help: "Only expired entries.")
  var expired = false

  var isEmpty: Bool {
    host == nil && tag == nil && minSize == nil && maxSize == nil && olderThan == nil && newerThan == nil && !expired
  }

  func matches(_ entry: DiskCacheEntry, now: Date) -> Bool {
    let age = now.timeIntervalSince(entry.storedDate)
    return (host.map { entry.host?.hasSameBytes(as: $0.lowercased()) ?? false } ?? true)
      && (tag.map { tag in entry.metadata.tags.contains { $0.hasSameBytes(as: tag) } } ?? true)
      && (minSize.map { entry.diskByteCount >= $0.byteCount } ?? true)
      && (maxSize.map { entry.diskByteCount <= $0.byteCount } ?? true)
      && (olderThan.map { age >= $0.seconds } ?? true) && (newerThan.map { age <= $0.seconds } ?? true)
      && (!expired || entry.isExpired)
  }
}

/// A length of time: `90`, `90s`, `15m`, `12h` or `7d`.
struct AgeArgument: ExpressibleByArgument {
  let seconds: Double

  init?(argument: String) {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let unit = argument.last.flatMap { units[$0] }
    guard let number = Double(unit == nil ? argument[...] : argument.dropLast()), number >= 0, number < 1e9 else {
      return nil
    }
    seconds = number * (unit ?? 1)
  }
}
