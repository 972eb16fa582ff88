public import Foundation

/// A temporary folder for a test, removed when the test ends.
public enum TemporaryDirectory {
  /// Creates an empty folder, runs `body` with it, and removes it with its contents, also when `body` throws.
  public static func run<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)")
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

  /// Tries again when a cache that the test did not flush writes a file during the removal.
  private static func remove(_ folder: URL) async throws {
    for _ in 0..<100 where FileManager.default.fileExists(atPath: folder.path) {
      try? FileManager.default.removeItem(at: folder)
      await Task.yield()
    }
    if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
  }
}
