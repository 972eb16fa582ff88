public import Foundation

/// A temporary folder for a test, removed when the test ends.
public enum TemporaryDirectory {
  /// Creates an empty folder, runs `body` with it, and removes it with its contents, also when `body` throws.
  public static func run<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = processFolder.appending(path: "halcyon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result: Result
    do {
      result = try await body(folder)
    } catch {
      // The error of the test is more useful than one of the removal.
      try? await remove(folder)
      throw error
    }
    try await remove(folder)
    return result
  }

  /// The folder of all temporary files of this process and of its child processes, removed when this process exits: a cache
  /// that opens late makes the folder of its test again, and children that are killed remove nothing.
  private static let processFolder: URL = {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-tests-\(getpid())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    setenv("TMPDIR", folder.path, 1)
    atexit { TemporaryDirectory.removeProcessFolder() }
    return folder
  }()

  private static func removeProcessFolder() {
    // A child that was forked has another identifier.
    guard processFolder.lastPathComponent.hasSuffix("-\(getpid())") else { return }
    for _ in 0..<100 where FileManager.default.fileExists(atPath: processFolder.path) {
      try? FileManager.default.removeItem(at: processFolder)
    }
  }

  /// Tries again when a cache that the test did not flush writes a file during the removal.
  private static func remove(_ folder: URL) async throws {
    for _ in 0..<100 where FileManager.default.fileExists(atPath: folder.path) {
      try? FileManager.default.removeItem(at: folder)
      await Task.yield()
    }
    if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
  }
}
