import HalcyonSupport
import HalcyonCache
import Foundation

/// Reads the entry `a` of a cache without permission to write to it.
struct TortureReader {
  let folder: URL

  /// Whether the entry was read, and storing another one failed with `EACCES`.
  func run() async throws -> Bool {
    var configuration = DiskCacheConfiguration()
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    let cache = DiskCache(directory: folder, configuration: configuration)
    guard let entry = try await cache.entry(for: "a") else { return false }
    do {
      try await cache.store(entry, for: "b")
      return false
    } catch DiskCacheError.system(_, _, EACCES) {
      return try await cache.entry(for: "a") == entry
    }
  }
}
