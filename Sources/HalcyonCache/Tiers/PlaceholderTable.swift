@_spi(Programs) package import HalcyonSupport
package import HalcyonImaging

/// The placeholders of recently loaded images, by the key of their encoded bytes; at most a few hundred KiB.
package struct PlaceholderTable: Sendable {
  private let hashes = RecentTable<CacheKey, ThumbHash>(costLimit: 2048)

  package subscript(key: CacheKey) -> ThumbHash? { hashes[key] }

  package func insert(_ hash: ThumbHash, for key: CacheKey) { hashes.insert(hash, for: key) }

  /// Removes those of a source. O(n).
  func removeAll(ofSource source: String) { hashes.removeAll { $0.isOf(source: source) } }

  func removeAll() { hashes.removeAll() }
}
