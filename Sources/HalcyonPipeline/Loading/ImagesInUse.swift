import HalcyonImaging
import HalcyonSupport

/// Weak references to images, which do not keep their pixels in memory.
final class ImagesInUse: Sendable {
  private struct Entry: Sendable {
    let bitmap: WeakBitmap
    let facts: DecodedImage.Facts
    weak let animation: AnimatedImage?
    let isAnimated: Bool

    /// `nil` if the image has been deallocated.
    var image: DecodedImage? {
      let animation = animation
      guard let bitmap = bitmap.bitmap, isAnimated == (animation != nil) else { return nil }
      return DecodedImage(bitmap: bitmap, facts: facts, animation: animation)
    }
  }

  private struct State {
    var entries: [CacheKey: Entry] = [:]
    /// The number of entries at which those of deallocated images are removed.
    var sweepCount = 16

    mutating func set(_ entry: Entry?, for key: CacheKey) {
      entries[key] = entry
      guard entries.count >= sweepCount else { return }
      entries = entries.filter { $0.value.image != nil }
      sweepCount = max(16, entries.count * 2)
    }
  }

  private let state = Lock(State())

  /// The image of a key, if something still retains its pixels.
  subscript(key: CacheKey) -> DecodedImage? {
    get { state.withLock { $0.entries.isEmpty ? nil : $0.entries[key]?.image } }
    set {
      let entry = newValue.map { image in
        Entry(
          bitmap: WeakBitmap(image.bitmap), facts: image.facts, animation: image.animation,
          isAnimated: image.animation != nil)
      }
      state.withLock { $0.set(entry, for: key) }
    }
  }
}
