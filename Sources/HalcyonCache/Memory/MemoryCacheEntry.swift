public import HalcyonImaging
public import HalcyonSupport

/// An image in a memory cache; see ``MemoryCache/entries``. It has no dates and no count of its reads, which would cost each
/// hit.
public struct MemoryCacheEntry: Sendable {
  /// The key, whose text begins with the URL or the key of the image's source.
  public let key: CacheKey
  /// The image; its ``Bitmap/byteCount`` counts toward the limit.
  public let image: DecodedImage
}
