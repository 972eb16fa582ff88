/// A tier of an image cache.
public enum CacheTier: Hashable, Sendable {
  /// Decoded images in memory.
  case memory
  /// Encoded images in the store.
  case store
}
