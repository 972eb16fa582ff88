import Foundation
import HalcyonTestDoubles
import HalcyonTestSupport

@testable import HalcyonCache
@testable import HalcyonSupport

/// An entry of a text, with a value in every property of its metadata.
func entry(_ text: String, expiration: CacheExpiration? = EntryMetadata.example.expiration) -> StoredEntry {
  var metadata = EntryMetadata.example
  metadata.expiration = expiration
  return StoredEntry(body: Data(text.utf8), metadata: metadata)
}

extension DiskCache {
  /// Runs `body` with a cache in a temporary folder.
  static func run<Result>(
    _ configuration: DiskCacheConfiguration = DiskCacheConfiguration(), time: any TimeSource = SystemTime(),
    _ body: (DiskCache) async throws -> Result
  ) async throws -> Result {
    try await TemporaryDirectory.run { folder in
      try await body(DiskCache(directory: folder, configuration: configuration, time: time))
    }
  }

  /// The path of the file of an entry.
  func path(of key: CacheKey) -> String { layout.entry(key.digest.bytes) }
}
