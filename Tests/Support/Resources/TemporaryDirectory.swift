package import Foundation

/// A folder of its own for a test, gone when the test ends.
package enum TemporaryDirectory {
  /// Creates an empty folder, runs `body` with it and removes it with all it holds, also when `body` throws.
  package static func run<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result: Result
    do {
      result = try await body(folder)
    } catch {
      // The test's own error is the one to report.
      try? await remove(folder)
      throw error
    }
    try await remove(folder)
    return result
  }

  /// A cache that nobody waits for may put something in while the rest goes, so that it takes another time.
  private static func remove(_ folder: URL) async throws {
    for _ in 0..<100 where FileManager.default.fileExists(atPath: folder.path) {
      try? FileManager.default.removeItem(at: folder)
      await Task.yield()
    }
    if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
  }
}
