import HalcyonSupport
public import HalcyonImaging
public import HalcyonCache
public import Foundation

extension ImagePipeline {
  /// The key of a request's image in the memory of this pipeline, for direct use of ``ImageCache/memory``.
  ///
  /// Contains what the pipeline adds to the request: default options, an identity and an address policy.
  public func cacheKey(for request: ImageRequest) -> CacheKey { RequestKeys(resolved(request)).image }

  /// The image of a request in memory; setting inserts an image as if the request had loaded it, and `nil` removes it.
  ///
  /// ```swift
  /// pipeline[cached: request] = image
  /// ```
  ///
  /// Synchronous and without disk access. Reading is the same as ``cachedImage(for:)``. An image that is set has the
  /// expiration of the request, and needs no revalidation; ``store(_:original:for:expiration:tags:userInfo:)`` stores it
  /// on disk as well. Setting has no effect if the ``CachePolicy`` of the request does not write to memory, or if the image
  /// is partial.
  public subscript(cached request: ImageRequest) -> DecodedImage? {
    get { cachedImage(for: request) }
    set {
      let request = resolved(request)
      guard request.cachePolicy.writesMemory else { return }
      let (memory, key) = (configuration.targetCache(for: request).memory, RequestKeys(request).image)
      guard let newValue else {
        configuration.targetCache(for: request).removals.memory.record(key)
        loader.unstoredImages.remove(key)
        return memory.removeImage(for: key)
      }
      guard !newValue.isPartial else { return }
      memory.store(newValue, for: key, expiration: request.optionsBox?.options.memoryExpiration)
    }
  }

  /// Inserts an image into the caches, as if the request had loaded it.
  ///
  /// Later loads of the request find the image in memory, or decode the stored bytes: `original`, or an image of the
  /// original size without processors, at any size; any other image for the same size and processors only.
  ///
  /// - Parameters:
  ///   - image: The image at the size and with the processors of the request, for memory. `nil` leaves memory
  ///     unchanged.
  ///   - original: The encoded bytes of the source, for the store; they are checked to begin like an image. If `nil`,
  ///     `image` is stored instead: an animation as its encoded bytes, a still image encoded by the request's
  ///     ``StoragePolicy`` or, if that is ``StoragePolicy/original``, by ``StoragePolicy/automatic``. In the latter
  ///     case a still image for a size or for processors is not stored, since it cannot replace the original.
  ///   - request: The request to store the image for; its ``CachePolicy`` selects the tiers.
  ///   - expiration: The expiration in both tiers; overrides those of the request. Default: `nil`, that of the request
  ///     or of each tier.
  ///   - tags: Tags by which the stored entry can be found and removed. Default: none.
  ///   - userInfo: Custom bytes stored with the entry, returned by ``storedMetadata(for:)``. Default: none.
  /// - Throws: ``ImageError/notStorable(_:)`` if `original` is not `nil` and there is no store for it, or if `image` is
  ///   partial, which changes nothing;
  ///   ``ImageError/notAnImage(contentType:url:)`` if it is not an image; ``ImageError/failed(cause:url:)`` with the
  ///   error of the encoder or the store. The image has been inserted into memory then.
  public func store(
    _ image: DecodedImage? = nil, original: Data? = nil, for request: ImageRequest,
    expiration: CacheExpiration? = nil, tags: [String] = [], userInfo: Data? = nil
  ) async throws(ImageError) {
    var request = resolved(request)
    if let expiration { (request.options.memoryExpiration, request.options.storeExpiration) = (expiration, expiration) }
    let keys = RequestKeys(request)
    if image?.isPartial == true { throw .notStorable(keys.image) }
    if let image, request.cachePolicy.writesMemory {
      configuration.targetCache(for: request).memory.store(
        image, for: keys.image, expiration: request.optionsBox?.options.memoryExpiration)
    }
    let url = request.source.url
    let now = configuration.time.now()
    let metadata = EntryMetadata(
      url: url, requestDate: now, responseDate: now, expiration: expiration, tags: tags, userInfo: userInfo)
    if let original {
      let cache = configuration.originalCache(for: request)
      guard let store = configuration.store(of: cache, for: request), request.cachePolicy.writesStore else {
        throw .notStorable(keys.fetch)
      }
      _ = try configuration.inspector(of: url, decoder: request.options.decoder).info(of: original)
      try await store.insert(StoredEntry(body: original, metadata: metadata), for: keys.fetch)
    } else if let image, request.cachePolicy.writesStore {
      try await storeEncoded(image, metadata, for: request, keys)
    }
  }

  /// Stores an image without original bytes.
  private func storeEncoded(
    _ image: DecodedImage, _ metadata: EntryMetadata, for request: ImageRequest, _ keys: RequestKeys
  ) async throws(ImageError) {
    guard let (key, cache, policy) = destination(of: image, for: request, keys),
      let store = configuration.store(of: cache, for: request)
    else { return }
    var data = image.animation?.data
    do {
      if data == nil {
        data = try await loader.workers.run(priority: request.priority) { [encoders = configuration.encoders] _ in
          try policy.encoded(image, by: encoders)
        }
      }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(cause: error, url: metadata.url ?? .unnamedImage)
    }
    if let data { try await store.insert(StoredEntry(body: data, metadata: metadata), for: key) }
  }

  /// Where and how an image without original bytes is stored; `nil` if it is not.
  private func destination(
    of image: DecodedImage, for request: ImageRequest, _ keys: RequestKeys
  ) -> (key: CacheKey, cache: ImageCache, policy: StoragePolicy)? {
    let variant = keys.variant(request.storage)
    let hasOriginalBytes = image.animation.map { $0.isProcessed || request.processors.isEmpty } ?? false
    let isSource = request.size == .original && request.processors.isEmpty && request.options.decoder == nil
    if hasOriginalBytes || isSource {
      return (keys.fetch, configuration.originalCache(for: request), request.storage.withoutOriginal)
    }
    return variant.map { ($0, configuration.targetCache(for: request), request.storage) }
  }

  /// The metadata of the stored entry of a request: its URL, dates, tags and custom bytes; `nil` if there is none.
  ///
  /// The entry is the image stored by the request's ``StoragePolicy``, or else the original.
  ///
  /// Does not count as a use of the entry, and ignores its freshness.
  ///
  /// - Throws: ``ImageError/failed(cause:url:)`` with the error of the store.
  public func storedMetadata(for request: ImageRequest) async throws(ImageError) -> EntryMetadata? {
    let request = resolved(request)
    let keys = RequestKeys(request)
    let (target, original) = (configuration.targetCache(for: request), configuration.originalCache(for: request))
    do {
      if let variant = keys.variant(request.storage),
        let metadata = try await configuration.store(of: target, for: request)?.metadata(for: variant)
      {
        return metadata
      }
      return try await configuration.store(of: original, for: request)?.metadata(for: keys.fetch)
    } catch {
      throw .failed(cause: error, url: request.source.url ?? .unnamedImage)
    }
  }

  /// The first tier that contains a request's image, memory before the store; `nil` if none does.
  ///
  /// Memory contains images of one size and list of processors, the store the bytes for all of them. Reads no image,
  /// does not extend its expiration, and ignores its freshness. A store that fails counts as empty.
  public func cachedTier(for request: ImageRequest) async -> CacheTier? {
    let request = resolved(request)
    let keys = RequestKeys(request)
    let (target, original) = (configuration.targetCache(for: request), configuration.originalCache(for: request))
    if request.cachePolicy.readsMemory, target.memory.contains(keys.image) { return .memory }
    guard request.cachePolicy.readsStore else { return nil }
    if let variant = keys.variant(request.storage), (try? await target.store?.containsEntry(for: variant)) == true {
      return .store
    }
    return (try? await original.store?.containsEntry(for: keys.fetch)) == true ? .store : nil
  }

  /// Removes a request's image from memory, and its original bytes, their HTTP variants and the image that its
  /// ``StoragePolicy`` stores from the store.
  ///
  /// Waits for pending writes first. Images of other sizes or with other processors remain in memory until they are
  /// evicted or removed by their own requests. Loads of the request that are in flight deliver their image, but do not
  /// store it; a load that begins afterwards does not join them.
  ///
  /// - Parameters:
  ///   - request: The request whose image is removed.
  ///   - tiers: The tiers to remove from. Default: both.
  /// - Throws: ``ImageError/failed(cause:url:)`` with the error of the store; the image has been removed from memory
  ///   then.
  public func removeCached(
    _ request: ImageRequest, from tiers: Set<CacheTier> = [.memory, .store]
  ) async throws(ImageError) {
    let request = resolved(request)
    let keys = RequestKeys(request)
    let target = configuration.targetCache(for: request)
    func recordRemoval() {
      if tiers.contains(.memory) { target.removals.memory.record(keys.image) }
      guard tiers.contains(.store) else { return }
      target.removals.store.record(keys.image)
      configuration.originalCache(for: request).removals.store.record(keys.fetch)
    }
    func removeFromMemory() {
      guard tiers.contains(.memory) else { return }
      target.memory.removeImage(for: keys.image)
      target.memory.removeImage(for: keys.preview)
      loader.unstoredImages.remove(keys.image)
    }
    recordRemoval()
    removeFromMemory()
    guard tiers.contains(.store) else { return }
    // Once more at the end, for loads that began meanwhile.
    defer {
      recordRemoval()
      removeFromMemory()
    }
    let original = configuration.originalCache(for: request)
    original.placeholders.remove(keys.fetch)
    // A pending write would insert the entry again.
    await original.writes.flush()
    if original !== target { await target.writes.flush() }
    do {
      if let variant = keys.variant(request.storage) {
        try await configuration.observed(target.store)?.removeResponses(for: variant)
      }
      try await configuration.observed(original.store)?.removeResponses(for: keys.fetch)
      try await original.store?.removeEntry(for: PartialBodies.key(keys.fetch))
    } catch {
      throw .failed(cause: error, url: request.source.url ?? .unnamedImage)
    }
  }
}

extension DataStore {
  /// Removes all variants of a response, whatever the cache policy of the request.
  fileprivate func removeResponses(for key: CacheKey) async throws {
    try await HTTPCache(store: self).removeResponses(for: key)
  }

  fileprivate func insert(_ entry: StoredEntry, for key: CacheKey) async throws(ImageError) {
    do {
      try await store(entry, for: key)
    } catch {
      throw .failed(cause: error, url: entry.metadata.url ?? .unnamedImage)
    }
  }
}

extension ImageSource {
  /// The URL, if it is known without calling a closure.
  fileprivate var url: URL? {
    switch self {
    case .url(let url), .keyed(let url, key: _): url
    case .string(let text): URL(string: text)
    case .data, .provider, .decoded, .resolver: nil
    }
  }
}
