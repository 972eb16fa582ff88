import Foundation
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCache
@testable import HalcyonSupport

/// Folders that another user has prepared: nothing outside the cache changes, and the cache names what it refuses.
@Suite(.integrationTest)
struct DiskUnsafeFolderTests {
  private static let version = "v\(DiskCache.format)"
  private static let shards = (UInt8.min...UInt8.max).map { "\(version)/d/\([$0].hexadecimal)" }
  /// Paths in the cache that lead elsewhere.
  static let paths =
    ["", "/own", "/tmp", "/d", "/gate", "/index.db", "/index.db-wal", "/index.db-shm", "/index.db-journal"].map {
      version + $0
    }
    + ["/index.damaged", "/own/17-a.lock", "/tmp/17-a.lock"].map { version + $0 }
    + [shards.joined(separator: ":"), shards[0], "removed", "v1", "v6", "v6/own", "v6/gate", "CACHEDIR.TAG"]

  private func cache(_ folder: URL) -> DiskCache {
    DiskCache(directory: folder, configuration: .init(cleaning: .whenAsked))
  }

  /// A folder with files of all names that the cache removes, and an unfinished cache of its own.
  private func makeVictim(_ folder: URL) async throws {
    try await cache(folder).store(entry("a"), for: "a")
    let digest = CacheKey("a").digest.bytes.hexadecimal
    let names = ["photo.jpg", digest, "17-a.lock", "index.db-journal", "00/\(digest)", "00/notes.txt"]
    for name in names {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("kept".utf8).write(to: file)
      chmod(file.path(), 0o644)
      setTime(file)
    }
    chmod(folder.path(), 0o777)
  }

  private func setTime(_ file: URL) {
    let time = timespec(Date(timeIntervalSince1970: 1_000_000_000))
    utimensat(AT_FDCWD, file.path(), [time, time], 0)
  }

  /// Contents, modes and modification times of all files in a folder.
  private func contents(of folder: URL) throws -> [String: String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path())
    return try Dictionary(
      uniqueKeysWithValues: ([""] + paths).map { path in
        let file = folder.appending(path: path)
        let status = try SystemFiles().status(of: file.path(), followsLink: false)
        let text = status.isRegularFile ? try Data(contentsOf: file).base64EncodedString() : ""
        return (path, "\(status.st_mode) \(status.modificationDate.timeIntervalSince1970) \(text)")
      })
  }

  /// Uses the cache in all ways; returns the error of a store.
  private func use(_ folder: URL) async -> (any Error)? {
    let cache = cache(folder)
    _ = try? await cache.entry(for: "a")
    var failure: (any Error)?
    do { try await cache.store(entry("new"), for: "a") } catch { failure = error }
    _ = try? await cache.entry(for: "a")
    _ = try? await cache.updateMetadata(.example, for: "a")
    _ = try? await cache.setPinned(true, for: "a")
    _ = try? await cache.removeEntries(taggedWith: "trip")
    for shard in UInt8.min...UInt8.max { try? await cache.writer.sweep(shard: shard, now: Date()) }
    _ = try? await cache.clean()
    try? await cache.removeAll()
    cache.willTerminate()
    return failure
  }

  @Test(arguments: paths, [false, true])
  func `a link in place of a file or folder of the cache changes nothing behind it`(
    path: String, hasCache: Bool
  ) async throws {
    try await TemporaryDirectory.run { temporary in
      let (victim, folder) = (temporary.appending(path: "victim"), temporary.appending(path: "cache"))
      try await makeVictim(victim)
      if hasCache { try await cache(folder).store(entry("old"), for: "b") }
      for link in path.split(separator: ":") {
        let link = folder.appending(path: link)
        try FileManager.default.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim)
      }
      let before = try contents(of: victim)
      _ = await use(folder)
      #expect(try contents(of: victim) == before)
    }
  }

  @Test(arguments: ["gate", "index.db", "index.db-wal", "index.db-journal", "own/17-a.lock", "tmp/17-a.lock"])
  func `a link to a file in place of a file of the cache neither changes nor creates it`(name: String) async throws {
    try await TemporaryDirectory.run { temporary in
      let (victim, folder) = (temporary.appending(path: "victim"), temporary.appending(path: "cache"))
      try await makeVictim(victim)
      let before = try contents(of: victim)
      for target in ["v\(DiskCache.format)/index.db", "photo.jpg", "new"] {
        let link = folder.appending(path: "\(Self.version)/\(name)")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim.appending(path: target))
        _ = await use(folder)
        #expect(try contents(of: victim) == before, "\(target)")
      }
    }
  }

  @Test(arguments: ["index.db", "index.db-wal", "index.db-journal", "index.db-shm"])
  func `an index file that has a second name is made anew, and the other file stays`(name: String) async throws {
    try await TemporaryDirectory.run { temporary in
      let (victim, folder) = (temporary.appending(path: "victim"), temporary.appending(path: "cache"))
      try await makeVictim(victim)
      try await cache(folder).store(entry("old"), for: "b")
      let before = try contents(of: victim)
      for target in ["v\(DiskCache.format)/index.db", "photo.jpg"] {
        let file = folder.appending(path: "\(Self.version)/\(name)")
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.linkItem(at: victim.appending(path: target), to: file)
        let reading = cache(folder)
        #expect(try await reading.count == 1)
        #expect(try await reading.entry(for: "b") == entry("old"))
        #expect(try contents(of: victim) == before, "\(target)")
      }
    }
  }

  @Test(arguments: ["", "/own", "/tmp", "/d", "/d/00", "/index.db"])
  func `what is a link is refused by its path, in reading and in writing`(name: String) async throws {
    try await TemporaryDirectory.run { temporary in
      let folder = temporary.appending(path: "cache")
      try await cache(folder).store(entry("a"), for: "a")
      let path = "\(Self.version)\(name)"
      let (place, moved) = (folder.appending(path: path), temporary.appending(path: "moved"))
      if name == "/d/00" { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
      try FileManager.default.moveItem(at: place, to: moved)
      try FileManager.default.createSymbolicLink(at: place, withDestinationURL: moved)
      let cache = cache(folder)
      let error = await #expect(throws: DiskCacheError.self) { try await cache.store(entry("b"), for: "b") }
      guard case .unsafeFolder(let refused) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(refused.hasSuffix(path))
      #expect(error?.description.contains(refused) == true)
      if !["/own", "/tmp", "/index.db"].contains(name) {
        await #expect(throws: DiskCacheError.unsafeFolder(path: refused)) { try await cache.entry(for: "a") }
        await #expect(throws: DiskCacheError.unsafeFolder(path: refused)) { try await cache.metadata(for: "a") }
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "giving files away requires root"))
  func `what belongs to another user is refused by its path`() async throws {
    for name in ["", "/v1", "/v1/own", "/v1/tmp", "/v1/d", "/v1/d/00", "/v1/index.db", "/v1/gate"] {
      try await TemporaryDirectory.run { folder in
        try await cache(folder).store(entry("a"), for: "a")
        let path = folder.path() + name
        if name == "/v1/d/00" { try SystemFiles().makeFolder(path) }
        #expect(chown(path, 65534, 65534) == 0)
        let error = await #expect(throws: DiskCacheError.self) { try await cache(folder).store(entry("b"), for: "b") }
        guard case .unsafeFolder(let refused) = error else {
          Issue.record("\(name): \(String(describing: error))")
          return
        }
        #expect(URL(filePath: refused).standardized.path() == URL(filePath: path).standardized.path())
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "giving files away requires root"))
  func `an entry file of another user is not an entry`() async throws {
    try await DiskCache.run { cache in
      for key in ["a", "b"] as [CacheKey] {
        try await cache.store(entry("1"), for: key)
        #expect(chown(cache.path(of: key), 65534, 65534) == 0)
      }
      #expect(try await cache.entry(for: "a") == nil)
      #expect(try await cache.metadata(for: "b") == nil)
    }
  }

  @Test(arguments: ["cache", "cache/"])
  func `the folder of the cache itself may be a link of its user`(name: String) async throws {
    try await TemporaryDirectory.run { folder in
      let target = folder.appending(path: "target")
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      let link = folder.appending(path: "cache")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
      let cache = cache(URL(filePath: folder.path() + "/" + name))
      try await cache.store(entry("a"), for: "a")
      #expect(try await cache.entry(for: "a") == entry("a"))
      _ = try await cache.clean()
      #expect(DiskCache.formats(in: target) == [DiskCache.format])
      #expect(DiskCache.formats(in: link) == [DiskCache.format])
      guard geteuid() == 0 else { return }
      #expect(lchown(link.path(), 65534, 65534) == 0)
      await #expect(throws: DiskCacheError.self) { try await self.cache(link).entry(for: "a") }
    }
  }

  @Test func `files whose names are not the cache's stay`() async throws {
    try await TemporaryDirectory.run { folder in
      try await cache(folder).store(entry("a"), for: "a")
      let layout = DiskLayout(root: folder.path())
      let shard = layout.shard(of: CacheKey("a").digest.bytes)
      let names = ["photo.jpg", "17", "a-17.lock", "17-.lock", "17-a.lock.jpg", "0123456789abcdef0123456789abcdeg"]
      let files = [layout.writerLocks, layout.temporaries, shard].flatMap { folder in names.map { folder + "/" + $0 } }
      for file in files {
        try Data("kept".utf8).write(to: URL(filePath: file))
        setTime(URL(filePath: file))
      }
      try SystemFiles().remove(layout.index)
      _ = await use(folder)
      for file in files { #expect(access(file, F_OK) == 0, "\(file)") }
    }
  }

  @Test func `a pipe in place of an entry is a miss`() async throws {
    try await DiskCache.run(.init(cleaning: .whenAsked)) { cache in
      try await cache.store(entry("a"), for: "a")
      for _ in 0..<2 {
        unlink(cache.path(of: "a"))
        #expect(mkfifo(cache.path(of: "a"), 0o600) == 0)
        #expect(try await cache.entry(for: "a") == nil)
        try await cache.store(entry("a"), for: "a")
        #expect(try await cache.entry(for: "a") == entry("a"))
      }
    }
  }
}
