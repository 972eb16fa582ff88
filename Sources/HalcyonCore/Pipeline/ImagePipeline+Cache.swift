public import Foundation

extension ImagePipeline {
  /// Keeps an image that came from elsewhere, as if the request had loaded it. Loading the request gives it back, from
  /// the store at any size, decoded and put into memory on the way.
  ///
  /// - Parameters:
  ///   - image: The image as the request shows it, kept in memory; `nil` leaves memory as it is.
  ///   - original: The encoded bytes that the request's source gives, kept in the store; they are checked to begin like
  ///     an image. `nil` leaves the store as it is.
  ///   - request: Whose image it is; its ``CachePolicy`` says where it may be kept.
  ///   - expiration: When it stops being served, in both tiers. Default: `nil`, as each tier has it.
  ///   - tags: Words by which the entry in the store can be found and removed. Default: none.
  /// - Throws: ``ImageError/notStorable(_:)`` where there are bytes and no store for them; ``ImageError/notAnImage(contentType:url:)`` for
  ///   bytes that are none; ``ImageError/failed(cause:url:)`` with what the store throws. Memory has the image then.
  public func store(
    _ image: DecodedImage? = nil, original: Data? = nil, for request: ImageRequest,
    expiration: CacheExpiration? = nil, tags: [String] = []
  ) async throws(ImageError) {
    let request = resolved(request)
    let keys = RequestKeys(request)
    if let image, request.cachePolicy.writesMemory {
      configuration.targetCache(for: request).memory.store(
        image, for: keys.image, expiration: expiration ?? request.given?.options.memoryExpiration)
    }
    guard let original else { return }
    let cache = configuration.originalCache(for: request)
    guard let store = configuration.store(of: cache, for: request), request.cachePolicy.writesStore else {
      throw .notStorable(keys.fetch)
    }
    let url = request.source.url
    _ = try configuration.inspector(of: url).info(of: original)
    let now = configuration.time.now()
    let metadata = EntryMetadata(url: url, requestDate: now, responseDate: now, expiration: expiration, tags: tags)
    do {
      try await store.store(StoredEntry(body: original, metadata: metadata), for: keys.fetch)
    } catch {
      throw .failed(cause: error, url: url ?? .unnamedImage)
    }
  }

  /// The tier that has a request's image, memory first; `nil` where none has.
  ///
  /// Asking is no use: it reads no image and extends no life. Memory has an image at the size and with the processors of
  /// the request, the store has the bytes for all of them. Whether they are still fresh is not asked; a store that
  /// fails has nothing.
  public func cachedTier(for request: ImageRequest) async -> ImageCache.Tier? {
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

  /// Forgets a request's image, in memory and as its ``StorageProfile`` keeps it, and its bytes with all their variants in
  /// the store.
  ///
  /// Images of other sizes or with other processors stay in memory until they leave; remove them by their requests.
  ///
  /// - Throws: ``ImageError/failed(cause:url:)`` with what the store throws; memory has forgotten the image.
  public func removeCached(_ request: ImageRequest) async throws(ImageError) {
    let request = resolved(request)
    let keys = RequestKeys(request)
    let target = configuration.targetCache(for: request)
    target.memory.removeImage(for: keys.image)
    configuration.originalCache(for: request).placeholders.remove(keys.fetch)
    do {
      if let variant = keys.variant(request.storage) {
        try await configuration.httpCache(in: target, for: request)?.removeAnswers(for: variant)
      }
      try await configuration.httpCache(for: request)?.removeAnswers(for: keys.fetch)
    } catch {
      throw .failed(cause: error, url: request.source.url ?? .unnamedImage)
    }
  }
}

extension ImageSource {
  /// The address, where it is known without asking.
  fileprivate var url: URL? {
    switch self {
    case .url(let url), .keyed(let url, key: _): url
    case .address(let text): URL(string: text)
    case .data, .provider, .resolver: nil
    }
  }
}
