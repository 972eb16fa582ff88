import HalcyonSupport
public import HalcyonImaging
public import HalcyonCache
public import Foundation

extension ImagePipeline {
  /// The key of a request's image in memory, with the pipeline's default options, identity and address policy.
  package func cacheKey(for request: ImageRequest) -> CacheKey { RequestKeys(resolved(request)).image }

  /// The image of a request in memory; setting inserts an image as if the request had loaded it, and `nil` removes it.
  ///
  /// ```swift
  /// pipeline[cached: request] = image
  /// ```
  ///
  /// Synchronous, so it may be read just before a view is drawn. There is no disk access, except to look up the size
  /// and the date of a local file. A hit sends the events of a load. An image that is set has the expiration of the
  /// request, and needs no revalidation; ``store(_:original:for:userInfo:)`` stores it on disk as well. Setting has no
  /// effect if the request does not write to memory (``RequestOptions/memoryAccess``), or if the image is partial.
  public subscript(cached request: ImageRequest) -> DecodedImage? {
    get {
      let request = resolved(request)
      guard case .hit(let image) = loader.lookUpMemory(request, key: RequestKeys(request).image) else { return nil }
      return deliveredHit(image, request)
    }
    set {
      let request = resolved(request)
      guard request.resolved.memoryAccess.writes, request.source.rejection == nil else { return }
      // An image in memory is under a version that was looked up before: removing it needs no disk access.
      let keys = RequestKeys(request, file: newValue == nil ? .remembered : .current)
      let (memory, key) = (configuration.cache(for: request).memory, keys.image)
      guard let newValue else {
        configuration.cache(for: request).removals.memory.record(key)
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
  ///   - image: The image at the size and with the processors of the request, for memory.
  ///   - original: The encoded bytes of the source, for the store; they are checked to begin and to end like an image. If `nil`,
  ///     `image` is stored instead: an animation as its encoded bytes, a still image encoded by the request's
  ///     ``StoragePolicy`` or, if that is ``StoragePolicy/original``, by ``StoragePolicy/automatic``. In the latter
  ///     case a still image for a size or for processors is not stored, since it cannot replace the original.
  ///   - request: The request to store the image for, with its expirations and tags; its access options select the tiers.
  ///   - userInfo: Custom bytes stored with the entry, returned by ``storedMetadata(for:)``. Default: none.
  /// - Throws: ``ImageError/notStorable(key:)`` if the request writes to no tier that there is, or if `image` is partial,
  ///   which changes nothing;
  ///   ``ImageError/notAnImage(contentType:url:)`` if it is not an image; ``ImageError/failed(cause:url:)`` with the
  ///   error of the encoder or the store. The image has been inserted into memory then.
  public func store(
    _ image: DecodedImage, original: Data? = nil, for request: ImageRequest, userInfo: Data? = nil
  ) async throws(ImageError) {
    let request = try accepted(request)
    let keys = RequestKeys(request)
    if image.isPartial { throw .notStorable(key: keys.image.sourceText) }
    // At the end: an original that is stored replaces an earlier one, and all images of it.
    defer {
      if request.resolved.memoryAccess.writes {
        let cache = configuration.cache(for: request)
        cache.removals.memory.record(source: keys.image.sourceText)
        cache.memory.store(image, for: keys.image, expiration: request.optionsBox?.options.memoryExpiration)
      }
    }
    if let original {
      let isStorable = request.resolved.storeAccess.writes && configuration.store(for: request) != nil
      if isStorable || !request.resolved.memoryAccess.writes {
        try await storeOriginal(original, for: request, userInfo)
      }
    } else if request.resolved.storeAccess.writes {
      try await storeEncoded(image, newMetadata(for: request, userInfo), for: request, keys)
    }
  }

  /// Inserts the encoded bytes of a source into the store, as if the request had loaded them.
  ///
  /// They replace an earlier original: all images that were made of it are removed from memory and the store. A load of the
  /// source that is in flight delivers its image, but stores nothing. A write that fails leaves everything as it was.
  ///
  /// - Parameters:
  ///   - original: The bytes, which are checked to begin and to end like an image.
  ///   - request: The request to store them for, with its expiration and tags.
  ///   - userInfo: Custom bytes stored with the entry, returned by ``storedMetadata(for:)``. Default: none.
  /// - Throws: The errors of ``store(_:original:for:userInfo:)``.
  public func store(
    original: Data, for request: ImageRequest, userInfo: Data? = nil
  ) async throws(ImageError) {
    try await storeOriginal(original, for: accepted(request), userInfo)
  }

  private func storeOriginal(
    _ original: Data, for request: ImageRequest, _ userInfo: Data?
  ) async throws(ImageError) {
    let key = RequestKeys(request).fetch
    guard let store = configuration.store(for: request), request.resolved.storeAccess.writes
    else {
      throw .notStorable(key: key.sourceText)
    }
    let url = request.source.url ?? key.sourceURL
    let info = try configuration.inspector(of: url, for: request).info(of: original)
    guard try await loader.isWhole(original, info, request, url) else { throw .notStorable(key: key.sourceText) }
    try await insert(original, newMetadata(for: request, userInfo), for: key, request, into: store)
  }

  /// Stores bytes in place of what loads in flight store, and original bytes in place of earlier ones, whose images are
  /// removed. If the bytes cannot be written, nothing is changed.
  private func insert(
    _ data: Data, _ metadata: EntryMetadata, for key: CacheKey, _ request: ImageRequest, into store: any DataStore
  ) async throws(ImageError) {
    let (cache, source) = (configuration.cache(for: request), key.sourceText)
    var metadata = metadata
    let mark = OriginalMark(of: data, received: metadata.responseDate)
    metadata.original = mark
    let entry = StoredEntry(body: data, metadata: metadata)
    func write() async throws(ImageError) {
      do {
        try await store.store(entry, for: key)
      } catch {
        cache.removeUnstored(key)
        throw .failed(cause: error, url: metadata.url ?? key.sourceURL)
      }
    }
    try await write()
    // Loads in flight begin no write from here on; this waits for those that have begun.
    cache.recordStoring(ofSource: source)
    await cache.writes.flushWrites()
    if key.isOfOriginal {
      cache.removeReplacedFromMemory(ofSource: source)
      cache.originals.record(mark, for: key)
      // The store reports its failures itself.
      try? await store.removeReplacedEntries(ofSource: source, except: key)
    }
    // Written over by a load, or removed with the others by a store that can keep none of a source.
    if (try? await store.metadata(for: key))?.original != mark { try await write() }
  }

  private func newMetadata(for request: ImageRequest, _ userInfo: Data?) -> EntryMetadata {
    let now = configuration.time.now()
    return EntryMetadata(url: request.source.url, requestDate: now, responseDate: now, userInfo: userInfo)
  }

  /// Stores an image without original bytes.
  private func storeEncoded(
    _ image: DecodedImage, _ metadata: EntryMetadata, for request: ImageRequest, _ keys: RequestKeys
  ) async throws(ImageError) {
    guard let (key, policy) = destination(of: image, for: request, keys),
      let store = configuration.store(for: request)
    else { return }
    var data = image.animation?.data
    do {
      if data == nil, let encoding = policy.encoding {
        data = try await loader.workers.run(priority: request.resolved.priority) { [renderer = loader.renderer] _ in
          try renderer.encoded(image, as: encoding)
        }
      }
    } catch {
      throw ImageError(rendering: error, url: metadata.url ?? key.sourceURL)
    }
    guard let data else { return }
    try await insert(data, metadata, for: key, request, into: store)
  }

  /// Where and how an image without original bytes is stored; `nil` if it is not.
  private func destination(
    of image: DecodedImage, for request: ImageRequest, _ keys: RequestKeys
  ) -> (key: CacheKey, policy: StoragePolicy)? {
    let variant = keys.variant(request.resolved.storage)
    let hasOriginalBytes = image.animation.map { $0.isProcessed || request.processors.isEmpty } ?? false
    let isSource =
      request.resolved.size == .original && request.region == nil && request.processors.isEmpty
      && request.options.decoder == nil
    if hasOriginalBytes || isSource {
      return (keys.fetch, request.resolved.storage.withoutOriginal)
    }
    return variant.map { ($0, request.resolved.storage) }
  }

  /// The metadata of the stored entry of a request: its URL, dates, tags and custom bytes; `nil` if there is none.
  ///
  /// The entry is the image stored by the request's ``StoragePolicy``, or else the original.
  ///
  /// Does not count as a use of the entry, and ignores its freshness.
  ///
  /// - Throws: ``ImageError/failed(cause:url:)`` with the error of the store.
  public func storedMetadata(for request: ImageRequest) async throws(ImageError) -> EntryMetadata? {
    let request = try accepted(request)
    let keys = RequestKeys(request)
    let store = configuration.store(for: request)
    do {
      if let variant = keys.variant(request.resolved.storage), let metadata = try await store?.metadata(for: variant) {
        return metadata
      }
      return try await store?.metadata(for: keys.fetch)
    } catch {
      throw .failed(cause: error, url: request.source.url ?? keys.fetch.sourceURL)
    }
  }

  /// The first tier that contains a request's image, memory before the store; `nil` if none does.
  ///
  /// Memory contains images of one size and list of processors, the store the bytes for all of them. Reads no image,
  /// does not extend its expiration, and ignores its freshness. A store that fails counts as empty.
  public func cachedTier(for request: ImageRequest) async -> CacheTier? {
    let request = resolved(request)
    let keys = RequestKeys(request)
    let cache = configuration.cache(for: request)
    if request.resolved.memoryAccess.reads, cache.memory.contains(keys.image) { return .memory }
    guard request.resolved.storeAccess.reads, let store = configuration.observedStore(of: cache) else {
      return nil
    }
    if let variant = keys.variant(request.resolved.storage), (try? await store.containsEntry(for: variant)) == true {
      return .store
    }
    return (try? await store.containsEntry(for: keys.fetch)) == true ? .store : nil
  }

  /// Removes everything of a request's source: its images of all sizes and with all processors from memory, and its original
  /// bytes and all that was made of them from the store, whatever the other options of the requests were.
  ///
  /// So the previews, the placeholder, thumbnails, encoded images and parts of interrupted downloads are removed, on disk
  /// and in the tiers of a store that machines share. Of a store of your own only what this request has stored is removed,
  /// unless it implements ``DataStore/removeEntries(ofSource:)``. Alternative sources of the request remain.
  ///
  /// Waits for pending writes first. Loads of the source that are in flight deliver their image, but do not store it; a load
  /// that begins afterwards does not join them.
  ///
  /// - Parameters:
  ///   - request: The request whose image is removed.
  ///   - tiers: The tiers to remove from. Default: both.
  /// - Throws: ``ImageError/failed(cause:url:)`` with the error of the store; the images have been removed from memory
  ///   then.
  public func removeImage(
    for request: ImageRequest, from tiers: Set<CacheTier> = [.memory, .store]
  ) async throws(ImageError) {
    let request = try accepted(request)
    let (cache, keys) = (configuration.cache(for: request), RequestKeys(request))
    let source = keys.fetch.sourceText
    func removeFromMemory() {
      if tiers.contains(.memory) { cache.removeFromMemory(ofSource: source) }
    }
    removeFromMemory()
    guard tiers.contains(.store) else { return }
    // Again at the end, for loads that began meanwhile.
    defer { removeFromMemory() }
    do {
      try await cache.removeFromStore(ofSource: source) { () async throws in
        guard let store = configuration.observedStore(of: cache) else { return }
        // For stores that find entries by their keys only.
        if let variant = keys.variant(request.resolved.storage) { try await store.removeResponses(for: variant) }
        try await store.removeResponses(for: keys.fetch)
        try await store.removeEntry(for: keys.fetch.ofPartialBody)
        try await store.removeEntries(ofSource: source)
      }
    } catch {
      throw .failed(cause: error, url: request.source.url ?? keys.fetch.sourceURL)
    }
  }
}

extension DataStore {
  /// Removes all variants of a response, whatever the cache policy of the request.
  fileprivate func removeResponses(for key: CacheKey) async throws {
    try await HTTPCache(store: self).removeResponses(for: key)
  }
}
