import HalcyonSupport
import HalcyonCache
import Foundation

/// Keeps the beginnings of cut transfers in the store, so that a later load, in another process too, goes on from there.
///
/// They lie among the other entries, under the same limit, and for a day at most.
struct PartialBodies: Sendable {
  /// A shorter beginning is fetched again as quickly as it is found.
  private static let smallestByteCount = 32 << 10

  let cache: ImageCache
  /// That of the cache, as its pipeline sees it.
  let store: (any DataStore)?

  /// The beginning kept for a fetch key.
  func partial(for key: CacheKey) async -> PartialBody? {
    guard let store, let entry = try? await store.entry(for: Self.key(key)) else { return nil }
    return PartialBody(data: entry.body, metadata: entry.metadata)
  }

  func keep(_ partial: PartialBody, for key: CacheKey) async {
    guard let store, partial.data.count >= Self.smallestByteCount else { return }
    var metadata = partial.metadata
    metadata.expiration = .hours(24)
    metadata.tags = ["partial"]
    let entry = StoredEntry(body: partial.data, metadata: metadata)
    await cache.writes.start(byteCount: partial.data.count) { try? await store.store(entry, for: Self.key(key)) }
  }

  func remove(for key: CacheKey) async {
    guard let store else { return }
    await cache.writes.start(byteCount: 0) { try? await store.removeEntry(for: Self.key(key)) }
  }

  /// What the beginning for a fetch key lies under.
  static func key(_ key: CacheKey) -> CacheKey { key.adding("part", "begin") }
}
