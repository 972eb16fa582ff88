public import Foundation

extension DiskCache {
  /// `halcyon/default` in the folder that the system keeps for caches.
  public static var defaultDirectory: URL { directory(named: "default") }

  /// A folder for a cache of this name where the system keeps caches: `$XDG_CACHE_HOME` or `~/.cache` on Linux.
  public static func directory(named name: String) -> URL {
    cachesDirectory.appending(path: "halcyon/\(name)", directoryHint: .isDirectory)
  }

  private static var cachesDirectory: URL {
    #if !canImport(Darwin)
    // The XDG Base Directory Specification: a relative path is to be ignored.
    if let path = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    #endif
    return FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
  }
}
