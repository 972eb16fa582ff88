import HalcyonSupport
public import HalcyonImaging
public import HalcyonCache
public import Foundation

extension ImagePipeline {
  /// Keeps an image that came from elsewhere, as if the request had loaded it. Loading the request gives it back, from
  /// the store at any size, decoded and put into memory on the way.
  ///
  /// - Parameters:
  ///   - image: The image as the request shows it, kept in memory; `nil` leaves memory as it is.
  ///   - original: The encoded bytes that the request's source gives, kept in the store; they are checked to begin like
  ///     an image. Where there are none, the store gets the image itself: an animation as it came; another one encoded as
  ///     its ``StoragePolicy`` says, or, without one, as ``StoragePolicy/automatic`` has it. An image that the request
  ///     makes smaller or processes, and has no profile for, stays out of the store: it could not stand for others.
  ///   - request: Whose image it is; its ``CachePolicy`` says where it may be kept.
  ///   - expiration: When it stops being served, in both tiers. Default: `nil`, as each tier has it.
  ///   - tags: Words by which the entry in the store can be found and removed. Default: none.
  ///   - userInfo: Bytes of your own, kept beside the entry: ``storedMetadata(for:)`` gives them back. Default: none.
  /// - Throws: ``ImageError/notStorable(_:)`` where there are bytes and no store for them; ``ImageError/notAnImage(contentType:url:)`` for
  ///   bytes that are none; ``ImageError/failed(cause:url:)`` with what the encoder or the store throws. Memory has the
  ///   image then.
  public func store(
    _ image: DecodedImage? = nil, original: Data? = nil, for request: ImageRequest,
    expiration: CacheExpiration? = nil, tags: [String] = [], userInfo: Data? = nil
  ) async throws(ImageError) {
    let request = resolved(request)
    let keys = RequestKeys(request)
    if let image, request.cachePolicy.writesMemory {
      configuration.targetCache(for: request).memory.store(
        image, for: keys.image, expiration: expiration ?? request.optionsBox?.options.memoryExpiration)
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
      _ = try configuration.inspector(of: url).info(of: original)
      try await store.keep(StoredEntry(body: original, metadata: metadata), for: keys.fetch)
    } else if let image, request.cachePolicy.writesStore {
      try await storeEncoded(image, metadata, for: request, keys)
    }
  }

  /// Keeps an image that has no bytes yet, where it can be found again.
  private func storeEncoded(
    _ image: DecodedImage, _ metadata: EntryMetadata, for request: ImageRequest, _ keys: RequestKeys
  ) async throws(ImageError) {
    let original = configuration.store(of: configuration.originalCache(for: request), for: request)
    if let animation = image.animation, request.processors.isEmpty {
      try await original?.keep(StoredEntry(body: animation.data, metadata: metadata), for: keys.fetch)
      return
    }
    let (key, store, profile): (CacheKey, (any DataStore)?, StoragePolicy)
    if let variant = keys.variant(request.storage) {
      let target = configuration.store(of: configuration.targetCache(for: request), for: request)
      (key, store, profile) = (variant, target, request.storage)
    } else {
      (key, store, profile) = (keys.fetch, original, .automatic)
      guard request.size == .original, request.processors.isEmpty else { return }
    }
    guard let store else { return }
    let data: Data?
    do {
      data = try await loader.workers.run(priority: request.priority) { [encoders = configuration.encoders] _ in
        try profile.encoded(image, by: encoders)
      }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(cause: error, url: metadata.url ?? .unnamedImage)
    }
    if let data { try await store.keep(StoredEntry(body: data, metadata: metadata), for: key) }
  }

  /// What the store knows about the bytes of a request's image: where they came from and when, and what was kept beside
  /// them; `nil` where it has none. Asking is no use, and whether they are still fresh is not asked.
  ///
  /// - Throws: ``ImageError/failed(cause:url:)`` with what the store throws.
  public func storedMetadata(for request: ImageRequest) async throws(ImageError) -> EntryMetadata? {
    let request = resolved(request)
    guard let store = configuration.store(of: configuration.originalCache(for: request), for: request) else {
      return nil
    }
    do {
      return try await store.metadata(for: RequestKeys(request).fetch)
    } catch {
      throw .failed(cause: error, url: request.source.url ?? .unnamedImage)
    }
  }

  /// The tier that has a request's image, memory first; `nil` where none has.
  ///
  /// Asking is no use: it reads no image and extends no life. Memory has an image at the size and with the processors of
  /// the request, the store has the bytes for all of them. Whether they are still fresh is not asked; a store that
  /// fails has nothing.
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

  /// Forgets a request's image, in memory and as its ``StoragePolicy`` keeps it, and its bytes with all their variants in
  /// the store, once what is being written is there.
  ///
  /// Images of other sizes or with other processors stay in memory until they leave; remove them by their requests.
  ///
  /// - Parameter tiers: Which tiers forget it. Default: both.
  /// - Throws: ``ImageError/failed(cause:url:)`` with what the store throws; memory has forgotten the image.
  public func removeCached(
    _ request: ImageRequest, from tiers: Set<CacheTier> = [.memory, .store]
  ) async throws(ImageError) {
    let request = resolved(request)
    let keys = RequestKeys(request)
    let target = configuration.targetCache(for: request)
    if tiers.contains(.memory) { target.memory.removeImage(for: keys.image) }
    guard tiers.contains(.store) else { return }
    let original = configuration.originalCache(for: request)
    original.placeholders.remove(keys.fetch)
    // What is being written now would come back.
    await original.writes.flush()
    if original !== target { await target.writes.flush() }
    do {
      if let variant = keys.variant(request.storage) {
        try await configuration.httpCache(in: target, for: request)?.removeAnswers(for: variant)
      }
      try await configuration.httpCache(for: request)?.removeAnswers(for: keys.fetch)
      try await original.store?.removeEntry(for: PartialBodies.key(keys.fetch))
    } catch {
      throw .failed(cause: error, url: request.source.url ?? .unnamedImage)
    }
  }
}

extension DataStore {
  fileprivate func keep(_ entry: StoredEntry, for key: CacheKey) async throws(ImageError) {
    do {
      try await store(entry, for: key)
    } catch {
      throw .failed(cause: error, url: entry.metadata.url ?? .unnamedImage)
    }
  }
}

extension ImageSource {
  /// The address, where it is known without asking.
  fileprivate var url: URL? {
    switch self {
    case .url(let url), .keyed(let url, key: _): url
    case .string(let text): URL(string: text)
    case .data, .provider, .resolver: nil
    }
  }
}
