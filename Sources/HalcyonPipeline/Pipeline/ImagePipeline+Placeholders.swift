import HalcyonCache
public import HalcyonImaging

extension ImagePipeline {
  /// The stand-in of a request's image, where one has been loaded or read before; all sizes share it. Neither suspends
  /// nor touches a disk: fit for a view that is about to be drawn.
  public func placeholder(for request: ImageRequest) -> ThumbHash? {
    let request = resolved(request)
    return configuration.originalCache(for: request).placeholders[RequestKeys(request).fetch]
  }

  /// The stand-in of a request's image from memory, or from the store, which need not read the image for it; `nil` where
  /// the image has never been stored whole, and where the store fails.
  public func storedPlaceholder(for request: ImageRequest) async -> ThumbHash? {
    let request = resolved(request)
    let (key, cache) = (RequestKeys(request).fetch, configuration.originalCache(for: request))
    if let hash = cache.placeholders[key] { return hash }
    guard request.cachePolicy.readsStore, let store = cache.store,
      let hash = (try? await store.metadata(for: key))?.placeholder
    else { return nil }
    cache.placeholders.insert(hash, for: key)
    return hash
  }
}
