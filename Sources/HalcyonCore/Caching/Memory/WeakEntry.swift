/// An evicted image that someone outside may still hold.
struct WeakEntry: Sendable {
  private let bitmap: WeakBitmap
  private let facts: DecodedImage.Facts
  private let lifetime: Lifetime
  private let deadline: Deadline

  init(_ entry: CacheEntry) {
    bitmap = WeakBitmap(entry.image.bitmap)
    facts = entry.image.facts
    lifetime = entry.lifetime
    deadline = entry.deadline
  }

  var isAlive: Bool { bitmap.bitmap != nil }

  func entry(for key: CacheKey) -> CacheEntry? {
    bitmap.bitmap.map {
      CacheEntry(
        key: key, image: DecodedImage(bitmap: $0, facts: facts), lifetime: lifetime, deadline: deadline)
    }
  }
}
