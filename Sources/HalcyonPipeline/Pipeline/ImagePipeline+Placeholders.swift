import HalcyonCache
public import HalcyonImaging

extension ImagePipeline {
  /// The placeholder of a request's image in memory, or `nil`; all sizes of the image share it.
  ///
  /// Synchronous and without disk access, so it may be called just before a view is drawn. A placeholder is in memory
  /// once the image has been loaded, or ``placeholder(for:)`` has read it.
  public func cachedPlaceholder(for request: ImageRequest) -> ThumbHash? {
    let request = resolved(request)
    return configuration.cache(for: request).placeholders[RequestKeys(request, file: .remembered).fetch]
  }

  /// The placeholder of a request's image, from memory or from the store; `nil` if there is none or the store fails.
  ///
  /// Reads only the metadata of the stored image. Placeholders are stored with images; see
  /// ``PipelineConfiguration/makesPlaceholders``.
  public func placeholder(for request: ImageRequest) async -> ThumbHash? {
    let request = resolved(request)
    let (key, cache) = (RequestKeys(request).fetch, configuration.cache(for: request))
    if let hash = cache.placeholders[key] { return hash }
    guard request.resolved.storeAccess.reads, let store = cache.encodedStore,
      let hash = (try? await store.metadata(for: key))?.placeholder
    else { return nil }
    cache.placeholders.insert(hash, for: key)
    return hash
  }
}
