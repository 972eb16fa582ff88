import HalcyonSupport
import HalcyonImaging

/// An evicted image that someone outside may still hold.
struct WeakEntry: Sendable {
  private let bitmap: WeakBitmap
  private let facts: DecodedImage.Facts
  private let isAnimated: Bool
  private weak let animation: AnimatedImage?
  private let lifetime: Lifetime
  private let deadline: Deadline

  init(_ entry: CacheEntry) {
    bitmap = WeakBitmap(entry.image.bitmap)
    facts = entry.image.facts
    isAnimated = entry.image.animation != nil
    animation = entry.image.animation
    lifetime = entry.lifetime
    deadline = entry.deadline
  }

  var isAlive: Bool { bitmap.bitmap != nil && isAnimated == (animation != nil) }

  func entry(for key: CacheKey) -> CacheEntry? {
    let animation = animation
    // An animated image of which only the still picture is held is not the image that was stored.
    guard let bitmap = bitmap.bitmap, isAnimated == (animation != nil) else { return nil }
    let image = DecodedImage(bitmap: bitmap, facts: facts, animation: animation)
    return CacheEntry(key: key, image: image, lifetime: lifetime, deadline: deadline)
  }
}
