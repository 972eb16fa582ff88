import Foundation
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// The index in a folder on a network file system, where processes cannot share memory.
@Suite(.integrationTest)
struct DiskNetworkFolderTests {
  private let entry = StoredEntry(body: Data(repeating: 1, count: 10_000), metadata: .example)

  private func cache(in folder: URL, isOnNetwork: Bool) -> DiskCache {
    var configuration = DiskCacheConfiguration()
    configuration.isOnNetwork = isOnNetwork
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    return DiskCache(directory: folder, configuration: configuration)
  }

  private func mode(of folder: URL) throws -> String? {
    let database = try SQLiteConnection(path: DiskLayout(root: folder.path()).index, in: SystemFiles())
    return try database.run("PRAGMA journal_mode").first?.first?.text
  }

  @Test func `without shared memory two caches see each other's entries`() async throws {
    try await TemporaryDirectory.run { folder in
      let (first, second) = (cache(in: folder, isOnNetwork: true), cache(in: folder, isOnNetwork: true))
      for number in 0..<10 {
        try await first.store(entry, for: CacheKey("\(number)"))
        try await second.store(entry, for: CacheKey("\(number + 100)"))
      }
      #expect(try await first.count == 20)
      #expect(try await second.entry(for: "0") == entry)
      try await second.removeEntry(for: "0")
      #expect(try await first.entry(for: "0") == nil)
      #expect(try mode(of: folder) != "wal")
      for suffix in ["-wal", "-shm"] {
        #expect(!FileManager.default.fileExists(atPath: DiskLayout(root: folder.path()).index + suffix))
      }
    }
  }

  @Test func `an index in WAL mode is converted, and its entries stay`() async throws {
    try await TemporaryDirectory.run { folder in
      do { try await cache(in: folder, isOnNetwork: false).store(entry, for: "a") }
      #expect(try mode(of: folder) == "wal")
      let moved = cache(in: folder, isOnNetwork: true)
      try await moved.store(entry, for: "b")
      #expect(try await moved.count == 2)
      #expect(try await moved.entry(for: "a") == entry)
      #expect(try mode(of: folder) != "wal")
    }
  }

  @Test func `the temporary folder is not remote, and a missing folder is an error`() throws {
    let (files, path) = (SystemFiles(), FileManager.default.temporaryDirectory.path())
    #expect(try !files.isRemote(path))
    #expect(throws: DiskCacheError.self) { try files.isRemote(path + "/\(UUID())") }
  }
}
