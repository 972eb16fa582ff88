import Foundation
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// The folder of a disk cache: its path, and how it is created.
@Suite(.integrationTest)
struct DiskFolderTests {
  @Test func `the default folder belongs to the program`() {
    let folder = DiskCache.defaultDirectory
    #expect(folder.lastPathComponent == "default")
    #expect(folder.deletingLastPathComponent() == DiskCache.directory(named: "x").deletingLastPathComponent())
    let program = folder.deletingLastPathComponent().lastPathComponent
    let name = Bundle.main.bundleIdentifier ?? Bundle.main.executableURL?.lastPathComponent ?? ""
    #expect(!name.isEmpty)
    #expect(program == DiskCache.folderName(program: name))
    #expect(folder.pathComponents.suffix(3).first == "halcyon")
  }

  #if !canImport(Darwin)
  @Test(arguments: [
    (
      ["CACHE_DIRECTORY": "/var/cache/app:/var/cache/other", "XDG_CACHE_HOME": "/xdg", "HOME": "/home/a"],
      "/var/cache/app"
    ),
    (["XDG_CACHE_HOME": "/xdg", "HOME": "/home/a"], "/xdg"),
    (["CACHE_DIRECTORY": "", "XDG_CACHE_HOME": "relative", "HOME": "/home/a"], "/home/a/.cache"),
    (["HOME": ""], "/home/b/.cache"),
    ([:], "/home/b/.cache"),
  ])
  func `the folder for caches is that of the service, the user or the user database`(
    environment: [String: String], path: String
  ) {
    #expect(DiskCache.cachesPath(environment, home: "/home/b") == path)
    #expect(DiskCache.cachesPath([:], home: nil) == nil)
  }
  #endif

  @Test(arguments: [
    ("org.example.App", "org.example.App"), ("my app/ü:1", "my-app---1"), ("..", "-."), (".hidden", "-hidden"),
    ("", "program"), ("a_b-c.d", "a_b-c.d"),
  ])
  func `the name of a program is made safe as a folder name`(name: String, folder: String) {
    #expect(DiskCache.folderName(program: name) == folder)
    #expect(DiskCache.folderName(program: String(repeating: "é", count: 1000)).utf8.count <= 255)
  }

  @Test(arguments: [
    ("thumbs", "thumbs"), ("Fotos é", "Fotos é"), ("../x", "..%2Fx"), ("..", "%2E%2E"), (".", "%2E"), ("...", "..."),
    ("", "%"), ("%", "%25"), ("a%2Fb", "a%252Fb"), ("a\0b", "a%00b"), ("/", "%2F"),
    // A slash with a combining mark.
    ("..\u{2F}\u{301}x", "..%2F\u{301}x"),
  ])
  func `the name of a cache is one path component of its own`(name: String, component: String) {
    let (folder, other) = (DiskCache.directory(named: name), DiskCache.directory(named: "other"))
    #expect(
      folder.path(percentEncoded: false).utf8.elementsEqual(
        "\(other.deletingLastPathComponent().path(percentEncoded: false))\(component)/".utf8))
    #expect(folder.standardized.deletingLastPathComponent() == other.standardized.deletingLastPathComponent())
  }

  @Test(arguments: [
    ("/a/b", "/a"), ("/a//b/", "/a"), ("a/b/c", "a/b"), ("/a", nil), ("a", nil), ("/", nil), ("", nil),
    ("/a/\u{301}b/c", "/a/\u{301}b"),
  ])
  func `the parent of a path ends before its last slash`(path: String, parent: String?) {
    let found = SystemFiles.parent(of: path)
    #expect(found.map { Array($0.utf8) } == parent.map { Array($0.utf8) })
  }

  private static let hexadecimal = String(repeating: "0af9", count: 8)

  @Test(arguments: [
    (hexadecimal, true), (hexadecimal.uppercased(), false), (hexadecimal + "0", false),
    (String(hexadecimal.dropLast()), false),
    (String(repeating: "+1", count: 16), false), (String(repeating: "0g", count: 16), false), ("", false),
  ])
  func `the file of an entry is named by a digest`(_ name: String, _ isDigest: Bool) {
    #expect(DiskLayout.digest(name)?.hexadecimal == (isDigest ? name : nil))
  }

  @Test(
    arguments: [
      ("v1", 1), ("v23", 23), ("v0", nil), ("v01", nil), ("v+1", nil), ("v-1", nil), ("x1", nil), ("v", nil), ("", nil),
    ] as [(String, Int?)])
  func `the folder of a format is named by its number`(_ name: String, _ format: Int?) {
    #expect(DiskLayout.format(name) == format)
  }

  /// What the errors of system calls mean.
  @Test(
    arguments: [
      (ENOENT, "missing nofile"), (EISDIR, "unreadable nofile limited"), (ENOTDIR, "unreadable nofile limited"),
      (ELOOP, "unreadable nofile limited"), (EACCES, "unreadable limited"), (EPERM, "unreadable limited"),
      (EIO, "unreadable limited"), (EROFS, "limited"), (ENOSPC, "full"), (EDQUOT, "full"), (nil, ""),
    ] as [(Int32?, String)])
  func `a failed call is about a file, the disk or the folder`(_ code: Int32?, _ expected: String) {
    let error = code.map { DiskCacheError.system(call: "open", path: "a", code: $0) } ?? .index(reason: "")
    let meanings = [
      (error.isMissing, "missing"), (error.isUnreadable, "unreadable"), (error.isNoFile, "nofile"),
      (error.isLimitedToFile, "limited"), (error.isDiskFull, "full"),
    ]
    #expect(meanings.filter(\.0).map(\.1).joined(separator: " ") == expected)
  }

  @Test(arguments: [(255, 255), (256, 234)]) func `a long name ends in a hash`(_ count: Int, _ shortened: Int) {
    #expect(DiskCache.shortened(String(repeating: "a", count: count)).utf8.count == shortened)
  }

  @Test func `a folder that cannot be created is an error that names it`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "file")
      try Data().write(to: file)
      let cache = DiskCache(directory: file.appending(path: "cache", directoryHint: .isDirectory))
      let error = await #expect(throws: DiskCacheError.self) { try await cache.store(entry("1"), for: "1") }
      #expect(error?.description.contains(file.path()) == true)
    }
  }

  #if os(Linux)
  @Test func `a folder that cannot be created is an error, also where its parent exists`() async throws {
    let cache = DiskCache(directory: URL(filePath: "/proc/nope"))
    let error = await #expect(throws: DiskCacheError.self) { try await cache.count }
    #expect(error == .system(call: "makeFolder", path: "/proc/nope", code: ENOENT))
    await #expect(throws: DiskCacheError.self) { try await cache.store(entry("a"), for: "a") }
    #expect(try await cache.entry(for: "a") == nil)
  }
  #endif

  @Test func `a deleted folder is created again`() async throws {
    try await DiskCache.run { cache in
      // A cleaning in the background could write into the folder while it is deleted.
      cache.configuration.cleaning = .whenAsked
      try await cache.store(entry("1"), for: "1")
      try FileManager.default.removeItem(at: cache.directory)
      #expect(try await cache.entry(for: "1") == nil)
      try await cache.store(entry("2"), for: "2")
      #expect(try await cache.entry(for: "2") != nil)
      #expect(try await cache.count == 1)
    }
  }

  @Test func `a deleted folder is not created again to save reads or to clean`() async throws {
    try await TemporaryDirectory.run { folder in
      let directory = folder.appending(path: "cache", directoryHint: .isDirectory)
      var configuration = DiskCacheConfiguration(cleaning: .whenAsked)
      let writing = DiskCache(directory: directory, configuration: configuration)
      try await writing.store(entry("1"), for: "1")
      // Closes the index.
      await writing.willEnterBackground()
      configuration.cleaning.occasions = [.background, .termination]
      let reading = DiskCache(directory: directory, configuration: configuration)
      #expect(try await reading.entry(for: "1") == entry("1"))
      try FileManager.default.removeItem(at: directory)
      await reading.flushAccesses()
      #expect(!FileManager.default.fileExists(atPath: directory.path()))
      await reading.willEnterBackground()
      #expect(!FileManager.default.fileExists(atPath: directory.path()))
      reading.willTerminate()
      #expect(!FileManager.default.fileExists(atPath: directory.path()))
      // With the index open.
      try await reading.store(entry("2"), for: "2")
      try FileManager.default.removeItem(at: directory)
      await reading.willEnterBackground()
      #expect(!FileManager.default.fileExists(atPath: directory.path()))
      #expect(reading.statistics.errors == 0)
    }
  }

  @Test func `only the owner can read the folder, and backups leave it out`() async throws {
    try await DiskCache.run { cache in
      try await cache.store(entry("private"), for: "a")
      let layout = cache.layout
      for (path, mode) in [(layout.version, 0o700), (layout.index, 0o600), (cache.path(of: "a"), 0o600)] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
      }
      let tag = try String(contentsOf: cache.directory.appending(path: "CACHEDIR.TAG"), encoding: .utf8)
      #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55"))
    }
  }

  @Test func `a link in place of the file for backups stays`() async throws {
    try await DiskCache.run { cache in
      try cache.fileSystem.makeFolder(cache.directory.path())
      let tag = cache.directory.appending(path: "CACHEDIR.TAG")
      try FileManager.default.createSymbolicLink(at: tag, withDestinationURL: cache.directory.appending(path: "none"))
      try await cache.store(entry("1"), for: "1")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: tag.path()).hasSuffix("none"))
    }
  }

  /// Records whether the system is told to include the folder in backups.
  private final class BackupLog: FileSystem {
    let calls = Lock<[FileSystemCall]>([])

    func perform(_ call: FileSystemCall, byteCount: Int, _ body: (Int) -> Int) -> Int {
      if [.includeInBackup, .excludeFromBackup].contains(call) { calls.withLock { $0.append(call) } }
      return body(byteCount)
    }
  }

  @Test func `backups include the folder if the configuration says so, also one that they left out before`()
    async throws
  {
    try await TemporaryDirectory.run { folder in
      for (isBackedUp, call) in [(false, FileSystemCall.excludeFromBackup), (true, .includeInBackup)] {
        let log = BackupLog()
        var configuration = DiskCacheConfiguration()
        configuration.isBackedUp = isBackedUp
        let cache = DiskCache(directory: folder, configuration: configuration, fileSystem: log)
        try await cache.store(entry("1"), for: "1")
        #expect(log.calls.withLock(\.self) == [call])
        let isTagged = FileManager.default.fileExists(atPath: folder.appending(path: "CACHEDIR.TAG").path)
        #expect(isTagged == !isBackedUp)
        #if canImport(Darwin)
        #expect(try folder.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup == !isBackedUp)
        #endif
      }
    }
  }
}
