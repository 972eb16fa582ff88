import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// Images that must not be stored (`no-store`), found by views as long as a view shows them, and for some seconds after.
///
/// The references to shown images are weak. Once a view has stopped showing one, it is in the memory cache, under a key of
/// its own: there it counts toward the limits, expires, is evicted under memory pressure, and is removed with all others.
final class ImagesInUse: Sendable {
  /// How long an image stays in memory after a view has shown it, for cells of a list that is scrolled back.
  private static let lifetime = Duration.seconds(10)

  private struct Entry: Sendable {
    let bitmap: WeakBitmap
    let facts: DecodedImage.Facts
    weak let animation: AnimatedImage?
    let isAnimated: Bool
    /// The cache that keeps it after it was shown.
    let memory: any MemoryStore
    let watch: RemovalWatch

    init(_ image: DecodedImage, in memory: any MemoryStore, _ watch: RemovalWatch) {
      bitmap = WeakBitmap(image.bitmap)
      facts = image.facts
      animation = image.animation
      isAnimated = image.animation != nil
      self.memory = memory
      self.watch = watch
    }

    /// `nil` if the image has been deallocated or removed.
    var image: DecodedImage? {
      let animation = animation
      guard !watch.isRemovedFromMemory, let bitmap = bitmap.bitmap, isAnimated == (animation != nil) else { return nil }
      return DecodedImage(bitmap: bitmap, facts: facts, animation: animation)
    }
  }

  private struct State {
    var entries: [CacheKey: Entry] = [:]
    /// The number of entries at which entries of deallocated images are removed.
    var sweepCount = 16

    mutating func insert(_ entry: Entry, for key: CacheKey) {
      entries[key] = entry
      guard entries.count >= sweepCount else { return }
      entries = entries.filter { $0.value.image != nil }
      sweepCount = max(16, entries.count * 2)
    }
  }

  private let state = Lock(State())

  /// Whether the table has no entries.
  var isEmpty: Bool { state.withLock(\.entries.isEmpty) }

  /// The image of a key, if a view shows it, or did a moment ago.
  func image(for key: CacheKey) -> DecodedImage? {
    guard let entry = entry(for: key) else { return nil }
    // This read removes an expired image, so that only views retain it.
    let kept = entry.memory.image(for: Self.memoryKey(key))
    return withExtendedLifetime(kept) { entry.image }
  }

  /// Adds an image that a load has returned.
  ///
  /// - Parameters:
  ///   - memory: The memory cache of its request.
  ///   - watch: The watch of the load: an image that is removed is not found again.
  func insert(_ image: DecodedImage, for key: CacheKey, in memory: any MemoryStore, _ watch: RemovalWatch) {
    let entry = Entry(image, in: memory, watch)
    state.withLock { $0.insert(entry, for: key) }
  }

  /// Keeps the image of a key in memory for some seconds: a view stops showing it.
  func keep(_ key: CacheKey) {
    guard let entry = entry(for: key), let image = entry.image else { return }
    entry.memory.store(image, for: Self.memoryKey(key), expiration: .after(Self.lifetime))
    // Removed on another thread before it was stored.
    if entry.watch.isRemovedFromMemory { entry.memory.removeImage(for: Self.memoryKey(key)) }
  }

  func remove(_ key: CacheKey) {
    let entry = state.withLock { $0.entries.removeValue(forKey: key) }
    entry?.memory.removeImage(for: Self.memoryKey(key))
  }

  func remove(ofSource source: String) {
    if isEmpty { return }
    for key in state.withLock({ $0.entries.keys.filter { $0.isOf(source: source) } }) { remove(key) }
  }

  func removeAll() {
    for key in state.withLock({ Array($0.entries.keys) }) { remove(key) }
  }

  private func entry(for key: CacheKey) -> Entry? { state.withLock { $0.entries.isEmpty ? nil : $0.entries[key] } }

  private static func memoryKey(_ key: CacheKey) -> CacheKey { key.adding("unstored", "shown") }
}
