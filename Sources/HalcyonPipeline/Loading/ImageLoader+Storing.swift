import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// What a load writes to the caches, and the processed images that it reads from the store.
extension ImageLoader {
  func storeInMemory(
    _ image: DecodedImage, _ request: ImageRequest, _ keys: RequestKeys, _ subscription: LoadSubscription
  ) {
    let expiration = request.optionsBox?.options.memoryExpiration
    if configuration.targetCache(for: request).memory.store(image, for: keys.image, expiration: expiration) {
      configuration.report(.stored(.memory, byteCount: image.byteCount), to: subscription)
    }
  }

  /// Applies the tags, the expiration and the pin of a request whose image was in memory to its stored entries, in the
  /// background, once pending writes have ended.
  @inline(never)
  func applyStoreOptions(_ request: ImageRequest) {
    guard request.changesEntries else { return }
    let (target, original) = (configuration.targetCache(for: request), configuration.originalCache(for: request))
    let pending = original.writes.pending + (target === original ? [] : target.writes.pending)
    original.writes.track { [configuration] in
      for write in pending { await write.value }
      await configuration.applyStoreOptions(of: request)
    }
  }

  /// Applies these options to the entries that a load has written or read for several requests, once they are written.
  ///
  /// - Parameter encoded: The bytes of the image; `nil` if it was made from an image in memory.
  @inline(never)
  func applyStoreOptions(
    _ request: ImageRequest, after encoded: EncodedImage?, _ variantWrite: Task<Void, Never>? = nil
  ) async throws(ImageError) {
    guard request.changesEntries else { return }
    let application = configuration.originalCache(for: request).writes.track { [configuration] in
      try? await encoded?.waitForWriting()
      await variantWrite?.value
      await configuration.applyStoreOptions(of: request)
    }
    if request.waitsForStore { try await application.waitUnlessCancelled() }
  }

  /// Starts storing the original bytes, unless the storage policy stores only the processed image.
  func storeOriginalIfWanted(_ encoded: EncodedImage, of request: ImageRequest, _ placeholder: ThumbHash?) async {
    if request.storesOriginal { await storeOriginal(encoded, of: request, placeholder) }
  }

  /// Starts storing the original bytes in the background. A store that fails does not fail the load.
  private func storeOriginal(_ encoded: EncodedImage, of request: ImageRequest, _ placeholder: ThumbHash?) async {
    guard var storable = encoded.storable, let cache = configuration.httpCache(for: request) else { return }
    storable.metadata.placeholder = placeholder
    let writes = configuration.originalCache(for: request).writes
    await encoded.startWriting { [monitor, storable] in
      // Holds the bytes until they are written, so that other loads find them in flight.
      await writes.start(byteCount: encoded.data.count) {
        guard (try? await cache.store(storable, body: encoded.data)) != nil else { return }
        encoded.markStored()
        monitor?.report(.stored(.store, byteCount: encoded.data.count))
      }
    }
  }

  /// Stores the bytes of a request without decoding them; only the image header is read.
  ///
  /// - Returns: Whether they were fetched: `false` if the store has them, and for sources on this machine.
  /// - Throws: Also errors of the store, since storing is what the caller requested.
  func storeBytes(of request: ImageRequest, subscription: LoadSubscription) async throws(ImageError) -> Bool {
    try await reporting(request, to: subscription, end: { .finished($0 ? .network : .store, LoadTrace()) }) {
      () async throws(ImageError) in
      try await withFallback(request, subscription) { [self] request throws(ImageError) in
        try await storeSingleSource(request, subscription)
      }
    }
  }

  private func storeSingleSource(
    _ request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Bool {
    switch try ResolvedSource(request.source) {
    case .file, .inline, .data: return false
    case .web, .unresolved, .provider: break
    }
    let key = RequestKeys(request).fetch
    guard let cache = configuration.httpCache(for: request), request.cachePolicy.writesStore else {
      throw .notStorable(key)
    }
    let encoded = try await bytes.encodedImage(for: request, key: key, subscription: subscription)
    if encoded.origin != .store {
      guard let storable = encoded.storable else { throw .notStorable(key) }
      // The load that verified the bytes first stores them.
      if encoded.markVerified() { try await store(encoded, as: storable, in: cache, for: request) }
    }
    if request.optionsBox != nil { try await applyStoreOptions(request, after: encoded) }
    return encoded.origin != .store
  }

  /// Completes the write even when the caller is cancelled, since other loads may wait for it.
  private func store(
    _ encoded: EncodedImage, as storable: StorableResponse, in cache: HTTPCache, for request: ImageRequest
  ) async throws(ImageError) {
    let write = Task { try await cache.store(storable, body: encoded.data) }
    configuration.originalCache(for: request).writes.track { _ = await write.result }
    if case .failure(let cause) = await write.result {
      throw .failed(cause: cause, url: encoded.metadata.url ?? .unnamedImage)
    }
    encoded.markStored()
    monitor?.report(.stored(.store, byteCount: encoded.data.count))
  }
}

extension ImageLoader {
  /// The placeholder stored with the original bytes; `nil` if they are not stored, or if the image was cropped or stretched.
  static func placeholder(
    for image: DecodedImage, of encoded: EncodedImage, at size: TargetSize, _ configuration: PipelineConfiguration
  ) -> ThumbHash? {
    guard configuration.makesPlaceholders, encoded.storable != nil, !image.isPartial else { return nil }
    switch size {
    case .original, .fit: return ThumbHash(image.bitmap)
    case .fill, .crop, .exact: return nil
    }
  }
}

/// Processed images in the store, by the ``StoragePolicy`` of their requests.
extension ImageLoader {
  private typealias VariantEntry = (key: CacheKey, cache: HTTPCache, isFromHTTP: Bool)

  /// The processed image from the store; `nil` if there is none, or it is not fresh.
  func storedVariant(
    _ request: ImageRequest, keys: RequestKeys, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Loaded? {
    guard request.cachePolicy.readsStore, !request.freshness.contactsServerFirst,
      let variant = variantEntry(request, keys)
    else { return nil }
    var trace = LoadTrace()
    let start = ContinuousClock.now
    let lookup = await variant.cache.lookUp(
      variant.key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
      at: configuration.time.now())
    trace.add(.storeRead, since: start)
    guard let entry = lookup.stored else { return nil }
    guard lookup.action == .serve || !variant.isFromHTTP else {
      subscription.report(.storedStale)
      return nil
    }
    guard
      let encoded = bytes.storedImage(entry, isFromHTTP: variant.isFromHTTP, trace: trace)
    else { return nil }
    // The stored image has the requested size.
    var whole = request
    whole.size = .original
    do throws(ImageError) {
      var loaded = try await decode(encoded, request: whole, key: keys.fetch, subscription)
      loaded.isStoredVariant = true
      loaded.image.facts.isStoredVariant = request.size != .original
      return loaded
    } catch {
      // A damaged entry is loaded from the original again.
      if case .cancelled = error { throw error }
      return nil
    }
  }

  /// Starts encoding and storing a processed image in the background. A failure does not fail the load.
  func storeVariant(of loaded: Loaded, _ request: ImageRequest, keys: RequestKeys) async -> Task<Void, Never>? {
    guard request.cachePolicy.writesStore, let encoded = loaded.encoded, let variant = variantEntry(request, keys),
      let storable = encoded.storable(asVariant: variant.key, for: request, configuration)
    else { return nil }
    if request.storage.storesOriginalBytes(of: loaded.image, isProcessed: !request.processors.isEmpty) {
      let placeholder = configuration.originalCache(for: request).placeholders[keys.fetch]
      await storeOriginal(encoded, of: request, placeholder)
      return nil
    }
    let (image, policy) = (loaded.image, request.storage)
    let (workers, encoders) = (workers, configuration.encoders)
    return await configuration.targetCache(for: request).writes.start(byteCount: image.bitmap.byteCount) { [monitor] in
      let data: Data?
      do {
        data = try await workers.run(priority: .low) { _ in try policy.encoded(image, by: encoders) }
      } catch {
        monitor?.report(.storeFailed(error))
        return
      }
      guard let data, (try? await variant.cache.store(storable, body: data)) != nil else { return }
      monitor?.report(.stored(.store, byteCount: data.count))
    }
  }

  /// Where the processed image is stored; `nil` if the policy, the source or a missing store rules that out.
  private func variantEntry(_ request: ImageRequest, _ keys: RequestKeys) -> VariantEntry? {
    guard let key = keys.variant(request.storage),
      let cache = configuration.httpCache(in: configuration.targetCache(for: request), for: request)
    else { return nil }
    switch try? ResolvedSource(request.source) {
    case .web, .unresolved: return (key, cache, true)
    case .provider: return (key, cache, false)
    case .file, .inline, .data, nil: return nil
    }
  }
}

extension ImageLoader.Loaded {
  /// Waits until everything that is being stored of the image is stored, or has failed.
  mutating func waitForWriting() async throws(ImageError) {
    let start = ContinuousClock.now
    try await encoded?.waitForWriting()
    try await variantWrite?.waitUnlessCancelled()
    trace.add(.storeWrite, since: start)
  }
}

extension EncodedImage {
  /// How an image made from these bytes is stored; `nil` if the bytes must not be stored, or are the stored image itself.
  fileprivate func storable(
    asVariant key: CacheKey, for request: ImageRequest, _ configuration: PipelineConfiguration
  ) -> StorableResponse? {
    guard storable != nil || origin == .store else { return nil }
    var metadata = storable?.metadata ?? metadata
    metadata.variants = []
    return StorableResponse(
      metadata: metadata, key: key, requestHeaders: request.headers.adding(configuration.headers), knownVariants: [])
  }
}
