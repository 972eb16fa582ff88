import HalcyonSupport
import HalcyonImaging

/// An image in a memory cache.
struct CacheEntry: Sendable {
  let key: CacheKey
  let image: DecodedImage
  let lifetime: Lifetime
  var deadline: Deadline
}
