/// An evicted image that someone outside may still hold.
struct WeakEntry: Sendable {
  private let bitmap: WeakBitmap
  private let info: ImageInfo
  private let freshness: SourceFreshness?
  private let lifetime: Lifetime
  private let deadline: Deadline

  init(_ entry: CacheEntry) {
    bitmap = WeakBitmap(entry.image.bitmap)
    info = entry.image.info
    freshness = entry.image.freshness
    lifetime = entry.lifetime
    deadline = entry.deadline
  }

  var isAlive: Bool { bitmap.bitmap != nil }

  func entry(for key: CacheKey) -> CacheEntry? {
    bitmap.bitmap.map {
      var image = DecodedImage(bitmap: $0, info: info)
      image.freshness = freshness
      return CacheEntry(key: key, image: image, lifetime: lifetime, deadline: deadline)
    }
  }
}
