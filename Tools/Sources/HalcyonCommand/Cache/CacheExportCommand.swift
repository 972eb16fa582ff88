import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// `halcyon cache export`: writes entries to a tar archive.
struct CacheExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes entries to a tar archive.",
    discussion: """
      The archive has two files for each entry: NUMBER.json with its key, URL, headers, dates and tags, and NUMBER.body \
      with the encoded image. Expired entries are left out, unless --expired selects only them.

      Examples:
        halcyon cache export -o cache.tar
        halcyon cache export --host example.com | ssh server halcyon cache import -
      """)

  @OptionGroup var options: CacheOptions
  @OptionGroup var filter: EntryFilter

  @Option(name: .shortAndLong, help: "The archive. Default: standard output.", completion: .file())
  var output: String?

  @Flag(help: "Replace an existing archive.")
  var overwrite = false

  func run() async throws {
    let cache = try options.cache()
    if let output, output != "-", !overwrite, FileManager.default.fileExists(atPath: output) {
      throw OutputError.exists(path: output)
    }
    try await Interruption.run {
      guard let output, output != "-" else {
        let count = try await export(cache, to: STDOUT_FILENO)
        return StandardError.write("Exported \(count) entries.")
      }
      let count = try await StreamedFile.write(to: output) { try await export(cache, to: $0) }
      print("Exported \(count) entries to \(output).")
    }
  }

  private func export(_ cache: DiskCache, to descriptor: Int32) async throws -> Int {
    let archive = TarWriter(descriptor)
    let now = Date()
    var count = 0
    for try await entry in cache.entries where filter.matches(entry, now: now) && (filter.expired || !entry.isExpired) {
      try Task.checkCancellation()
      // Removed or damaged meanwhile.
      guard let body = try await cache.body(of: entry) else { continue }
      count += 1
      let metadata = try JSONLine.encode(ArchivedEntry(entry, body: body)) + "\n"
      try archive.add("\(count).json", Data(metadata.utf8), date: entry.storedDate)
      try archive.add("\(count).body", body, date: entry.storedDate)
    }
    try archive.finish()
    return count
  }
}

/// A file that is written in pieces, and gets its name when it is complete.
private enum StreamedFile {
  static func write<Result>(to path: String, _ body: (Int32) async throws -> Result) async throws -> Result {
    let temporary = URL(filePath: path).deletingLastPathComponent().path + "/.halcyon-\(getpid())"
    let file = open(temporary, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw OutputError.unwritable(path: path, code: errno) }
    do {
      let result = try await body(file)
      guard close(file) == 0, rename(temporary, path) == 0 else {
        throw OutputError.unwritable(path: path, code: errno)
      }
      return result
    } catch {
      unlink(temporary)
      throw error
    }
  }
}

/// `halcyon cache import`: stores the entries of an archive.
struct CacheImportCommand: AsyncParsableCommand {
  /// The most bytes of the metadata of an entry, whose cache has room for 64 KiB.
  private static let metadataByteLimit = 1 << 20

  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Stores the entries of an archive of export.",
    discussion: """
      Creates the cache if there is none. An entry of the same key is replaced. The HTTP freshness of an entry goes on \
      as it was; its expiration after the last use begins again.

      Example:
        halcyon cache import cache.tar --directory /var/cache/halcyon-serve

      Exit status: 0 if all entries were stored; 1 if one was damaged or the archive ends early.
      """)

  @Argument(help: "The archive; - for standard input.", completion: .file())
  var archive: String

  @OptionGroup var options: CacheOptions
  @OptionGroup var limits: LimitOptions

  @Option(help: "The most disk space of the cache, for example 2G. Default: no limit.")
  var sizeLimit: ByteCountArgument?

  func run() async throws {
    guard let file = archive == "-" ? .standardInput : FileHandle(forReadingAtPath: archive) else {
      throw CacheError.unreadable(archive, reason: String(cString: strerror(errno)))
    }
    var configuration = CacheOptions.passive
    if let sizeLimit { configuration.sizeLimit = sizeLimit.byteCount }
    let cache = DiskCache(directory: options.url, configuration: configuration)
    try await Interruption.run { try await store(file, in: cache) }
  }

  private func store(_ file: FileHandle, in cache: DiskCache) async throws {
    let bodyLimit = limits.limits().encodedByteCount
    let reader = TarReader(file, byteLimit: max(bodyLimit, Self.metadataByteLimit))
    var (stored, damaged) = (0, 0)
    var next: (name: String, entry: ArchivedEntry)?
    while let (name, data) = try reader.next() {
      try Task.checkCancellation()
      if name.hasSuffix(".json"), data.count <= Self.metadataByteLimit {
        next = (try? JSONDecoder().decode(ArchivedEntry.self, from: data)).map { (String(name.dropLast(5)), $0) }
        if next == nil { throw CacheError.badArchive("\(name.printableLine) is not the metadata of an entry") }
      } else if name.hasSuffix(".body"), let (number, entry) = next, name.dropLast(5) == number {
        next = nil
        guard entry.version == ArchivedEntry.version else {
          throw CacheError.badArchive("it has version \(entry.version), this program reads \(ArchivedEntry.version)")
        }
        guard data.count == entry.bodyBytes, CRC32.of(data) == entry.crc32 else {
          damaged += 1
          StandardError.write("Error: \(name.printableLine) is damaged; \(entry.key.printableLine) was not stored.")
          continue
        }
        let key = CacheKey(entry.key)
        try await cache.store(StoredEntry(body: data, metadata: entry.metadata), for: key)
        if entry.isPinned { try await cache.setPinned(true, for: key) }
        stored += 1
      }
    }
    print("Stored \(stored) \(stored == 1 ? "entry" : "entries").")
    if damaged > 0 { throw ExitCode.failure }
  }
}
