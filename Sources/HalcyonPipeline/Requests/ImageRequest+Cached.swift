import HalcyonHTTP
import HalcyonSupport
public import HalcyonImaging

extension ImageRequest {
  /// A request for what the caches have under a key of the caller's; nothing else is asked.
  ///
  /// ```swift
  /// try await pipeline.store(original: bytes, for: .cached("avatar/17"))
  /// let avatar = try await pipeline.image(for: .cached("avatar/17", size: .fit(width: 64, height: 64)))
  /// ```
  ///
  /// The key is the same as that of ``ImageSource/keyed(_:key:)``, ``ImageSource/data(_:key:)``,
  /// ``ImageSource/provider(_:)`` and ``ImageSource/resolver(_:)``: what these have loaded is found by their key, before
  /// an address is known. What is not there throws ``ImageError/notCached(_:)``.
  public static func cached(
    _ key: String, size: TargetSize = .original, processors: [any ImageProcessor] = []
  ) -> ImageRequest {
    let nothing = ImageProvider(key: key) { throw ImageError.notCached(CacheKey(key)) }
    return ImageRequest(source: .provider(nothing), size: size, processors: processors, freshness: .cacheOnly)
  }
}
