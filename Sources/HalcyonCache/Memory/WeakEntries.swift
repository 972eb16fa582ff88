import HalcyonSupport
import HalcyonImaging

/// A weak table of evicted images that were in use at eviction.
struct WeakEntries: Sendable {
  private var entries: [CacheKey: WeakEntry] = [:]
  /// The number of entries at which entries of deallocated images are removed.
  private var sweepCount = 16

  var isEmpty: Bool { entries.isEmpty }

  var keys: Dictionary<CacheKey, WeakEntry>.Keys { entries.keys }

  func entry(for key: CacheKey) -> CacheEntry? {
    entries.isEmpty ? nil : entries[key]?.entry(for: key)
  }

  /// Adds an entry. Entries of deallocated images are removed whenever the number of entries has doubled.
  mutating func insert(_ entry: CacheEntry) {
    entries[entry.key] = WeakEntry(entry)
    guard entries.count >= sweepCount else { return }
    entries = entries.filter { $0.value.isAlive }
    sweepCount = max(16, entries.count * 2)
  }

  @discardableResult
  mutating func remove(_ key: CacheKey) -> Bool {
    entries.isEmpty ? false : entries.removeValue(forKey: key) != nil
  }
}

/// An evicted entry that references its image weakly.
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

  /// The entry, or `nil` if its image was deallocated.
  func entry(for key: CacheKey) -> CacheEntry? {
    let animation = animation
    // If only the still frame of an animated image is in use, the stored image is gone.
    guard let bitmap = bitmap.bitmap, isAnimated == (animation != nil) else { return nil }
    let image = DecodedImage(bitmap: bitmap, facts: facts, animation: animation)
    return CacheEntry(key: key, image: image, lifetime: lifetime, deadline: deadline)
  }
}
