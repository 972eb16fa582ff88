import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@_spi(Programs) @testable import HalcyonCache

@Suite(.integrationTest)
struct DiskDurabilityTests {
  private let entry = StoredEntry(body: Data(repeating: 1, count: 10_000), metadata: .example)

  /// Records the kinds of calls, in order.
  private final class CallLog: FileSystem {
    private let calls = Lock<[FileSystemCall]>([])

    func perform(_ call: FileSystemCall, byteCount: Int, _ body: (Int) -> Int) -> Int {
      calls.withLock { $0.append(call) }
      return body(byteCount)
    }

    /// Removes the recorded calls and returns the calls of the given kinds.
    func take(_ kinds: Set<FileSystemCall>) -> [FileSystemCall] {
      let taken = calls.withLock { calls in
        defer { calls = [] }
        return calls
      }
      return taken.filter(kinds.contains)
    }
  }

  private func configuration(isDurable: Bool) -> DiskCacheConfiguration {
    var configuration = DiskCacheConfiguration()
    configuration.isDurable = isDurable
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    return configuration
  }

  @Test(arguments: [
    (false, [FileSystemCall.begin, .rename, .commit]),
    (true, [.sync, .begin, .sync, .rename, .sync, .sync, .commit]),
  ])
  func `a durable entry is indexed only after its file, write intent and folders are synced`(
    isDurable: Bool, calls: [FileSystemCall]
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let log = CallLog()
      let cache = DiskCache(directory: folder, configuration: configuration(isDurable: isDurable), fileSystem: log)
      try await cache.store(entry, for: "first")
      _ = log.take([])
      // The folder of the entry exists by now, so that the rename needs no second attempt.
      try await cache.store(entry, for: "first")
      #expect(log.take([.sync, .rename, .begin, .commit]) == calls)
      var metadata = entry.metadata
      metadata.status = 203
      try await cache.updateMetadata(metadata, for: "first")
      #expect(log.take([.sync]).count == (isDurable ? 1 : 0))
      #expect(try await cache.entry(for: "first")?.metadata.status == 203)
    }
  }

  @Test(arguments: [EIO, ENOSPC])
  func `an entry that cannot be synced is rejected, and the cache stays usable`(code: Int32) async throws {
    try await TemporaryDirectory.run { folder in
      let files = FailingFileSystem()
      let cache = DiskCache(directory: folder, configuration: configuration(isDurable: true), fileSystem: files)
      try await cache.store(entry, for: "old")
      files.fail(all: [.sync], with: .error(code))
      let error = await #expect(throws: DiskCacheError.self) { try await cache.store(entry, for: "new") }
      #expect(error?.systemCode == code)
      files.clearFailures()
      #expect(try await cache.entry(for: "new") == nil)
      try await cache.store(entry, for: "new")
      #expect(try await cache.entry(for: "new") == entry)
      // On a full disk the cache evicts before it fails.
      #expect(try await cache.count == (code == ENOSPC ? 1 : 2))
    }
  }

  @Test func `a durable cache sets the synchronous mode of SQLite to FULL`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(directory: folder, configuration: configuration(isDurable: true))
      try await cache.store(entry, for: "a")
      #expect(try await cache.writer.pragma("synchronous") == 2)
      cache.configuration.isDurable = false
      try await cache.store(entry, for: "b")
      #expect(try await cache.writer.pragma("synchronous") == 1)
    }
  }
}

extension DiskWriter {
  /// The value of a pragma of the connection to the index.
  fileprivate func pragma(_ name: String) throws(DiskCacheError) -> Int64? {
    try session?.index.database.number("PRAGMA \(name)")
  }
}
