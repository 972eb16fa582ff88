import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// Partial bodies in the store, so that a later load resumes the download, in another process too.
///
/// They are entries under keys of their own, count toward the same limit, and expire after a day. Memcached and
/// S3-compatible storage keep none, so that a miss costs one request to each of them.
struct PartialBodies: Sendable {
  /// A shorter body is downloaded again as fast as it is found.
  private static let smallestByteCount = 32 << 10

  let cache: ImageCache
  /// The cache's store as the pipeline uses it.
  let store: (any DataStore)?
  /// That of the load.
  let watch: RemovalWatch

  func partial(for key: CacheKey, usesETags: Bool) async -> PartialBody? {
    // Checked first, so that the statistics of the store count no miss for a body that is rarely there.
    guard let store, (try? await store.containsEntry(for: key.ofPartialBody)) == true,
      let entry = try? await store.entry(for: key.ofPartialBody)
    else { return nil }
    // Those of the partial body, not of the whole one.
    var metadata = entry.metadata
    (metadata.expiration, metadata.tags) = (nil, [])
    return PartialBody(data: entry.body, metadata: metadata, usesETags: usesETags)
  }

  /// - Returns: The write; `nil` if the body is not stored.
  @discardableResult
  func store(_ partial: PartialBody, for key: CacheKey) async -> Task<Void, Never>? {
    guard let store, partial.data.count >= Self.smallestByteCount else { return nil }
    var metadata = partial.metadata
    metadata.expiration = .hours(24)
    metadata.tags = ["partial"]
    let entry = StoredEntry(body: partial.data, metadata: metadata)
    return await cache.writes.start(byteCount: partial.data.count) {
      if !watch.isRemovedFromStore { try? await store.store(entry, for: key.ofPartialBody) }
    }
  }

  func remove(for key: CacheKey) async {
    guard let store else { return }
    await cache.writes.start(byteCount: 0) { try? await store.removeEntry(for: key.ofPartialBody) }
  }
}
