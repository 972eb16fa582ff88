import HalcyonSupport
import Foundation
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonCache

/// Folders that can be read but not written to, enforced by the operating system.
@Suite(.integrationTest)
struct DiskPermissionTests {
  private let entry = StoredEntry(body: Data(repeating: 1, count: 10_000), metadata: .example)

  private var configuration: DiskCacheConfiguration {
    var configuration = DiskCacheConfiguration()
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    return configuration
  }

  private func mode(_ folder: URL) throws -> mode_t { try SystemFiles().status(of: folder.path()).st_mode & 0o7777 }

  @Test func `an existing folder that others can write to becomes writable by its owner only`() async throws {
    try await TemporaryDirectory.run { folder in
      chmod(folder.path(), 0o777)
      try await DiskCache(directory: folder, configuration: configuration).store(entry, for: "a")
      #expect(try mode(folder) == 0o755)
      let inner = ["", "/d", "/own", "/tmp"].map { folder.appending(path: "v\(DiskCache.format)\($0)") }
      for folder in inner { #expect(try mode(folder) == 0o700) }
      for folder in inner { chmod(folder.path(), 0o770) }
      try await DiskCache(directory: folder, configuration: configuration).store(entry, for: "a")
      for folder in inner { #expect(try mode(folder) == 0o750) }
    }
  }

  @Test func `a folder with the sticky bit, as of temporary files, keeps its mode`() async throws {
    try await TemporaryDirectory.run { folder in
      chmod(folder.path(), 0o1777)
      try await DiskCache(directory: folder, configuration: configuration).store(entry, for: "a")
      #expect(try mode(folder) == 0o1777)
      #expect(try mode(folder.appending(path: "v\(DiskCache.format)")) == 0o700)
    }
  }

  @Test func `a symbolic link in place of the tag file is not followed`() async throws {
    try await TemporaryDirectory.run { folder in
      let (cache, target) = (folder.appending(path: "cache"), folder.appending(path: "target"))
      try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(at: cache.appending(path: "CACHEDIR.TAG"), withDestinationURL: target)
      try await DiskCache(directory: cache, configuration: configuration).store(entry, for: "a")
      #expect(!FileManager.default.fileExists(atPath: target.path()))
    }
  }

  @Test(.enabled(if: ReadOnlyMount.isAvailable, "mounting a file system requires root"))
  func `entries on a read-only file system are readable, and storing throws`() async throws {
    try await TemporaryDirectory.run { folder in
      try await DiskCache(directory: folder, configuration: configuration).store(entry, for: "old")
      try await ReadOnlyMount.run(over: folder) { () async throws in
        let cache = DiskCache(directory: folder, configuration: configuration)
        #expect(try await cache.entry(for: "old") == entry)
        let error = await #expect(throws: DiskCacheError.self) { try await cache.store(entry, for: "new") }
        #expect(error?.systemCode == EROFS)
        await #expect(throws: DiskCacheError.self) { try await cache.removeEntry(for: "old") }
        #expect(try await cache.entry(for: "old") == entry)
        #expect(cache.statistics.hits == 2)
      }
      let cache = DiskCache(directory: folder, configuration: configuration)
      #expect(try await cache.count == 1)
    }
  }

  @Test(.enabled(if: OtherUser.isAvailable, "running as another user requires root and setpriv(1)"))
  func `another user can read a world-readable cache, and storing throws`() async throws {
    try await TemporaryDirectory.run { folder in
      try await DiskCache(directory: folder, configuration: configuration).store(entry, for: "a")
      OtherUser.makeWorldReadable(folder)
      let end = try OtherUser.run(OtherUser.program, ["read", folder.path()])
      #expect(end == .exit(0))
      let cache = DiskCache(directory: folder, configuration: configuration)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry)
    }
  }
}

/// Mounts a folder over itself as read-only.
enum ReadOnlyMount {
  #if os(Linux)
  static let isAvailable: Bool = {
    guard geteuid() == 0 else { return false }
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)").path()
    defer { rmdir(folder) }
    guard mkdir(folder, 0o700) == 0, mountReadOnly(folder) else { return false }
    return umount(folder) == 0
  }()

  static func run(over folder: URL, _ body: () async throws -> Void) async throws {
    guard mountReadOnly(folder.path()) else { return }
    defer { umount2(folder.path(), Int32(MNT_DETACH)) }
    try await body()
  }

  private static func mountReadOnly(_ path: String) -> Bool {
    guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { return false }
    let flags = UInt(MS_BIND) | UInt(MS_REMOUNT) | UInt(MS_RDONLY)
    if mount(path, path, nil, flags, nil) == 0 { return true }
    umount2(path, Int32(MNT_DETACH))
    return false
  }
  #else
  static let isAvailable = false

  static func run(over folder: URL, _ body: () async throws -> Void) async throws {}
  #endif
}

/// Runs programs as a user who owns no files.
enum OtherUser {
  static let program = (Bundle.main.executableURL ?? URL(filePath: "/"))
    .deletingLastPathComponent().appending(path: "halcyon-torture").path()

  static let isAvailable: Bool = {
    guard geteuid() == 0, access(setpriv, X_OK) == 0 else { return false }
    return [program, FileManager.default.temporaryDirectory.path()].allSatisfy { path in
      (try? run("/usr/bin/test", ["-x", path])) == .exit(0)
    }
  }()

  private static let setpriv = "/usr/bin/setpriv"

  static func run(_ program: String, _ arguments: [String]) throws -> ChildProcess.End {
    try ChildProcess(
      setpriv, ["--reuid=65534", "--regid=65534", "--clear-groups", program] + arguments
    ).end()
  }

  /// Makes a folder and its contents readable by all users.
  static func makeWorldReadable(_ folder: URL) {
    let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    for path in [folder.path()] + names.map({ folder.path() + "/" + $0 }) { chmod(path, 0o755) }
  }
}
