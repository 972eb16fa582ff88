import HalcyonCache
import HalcyonImaging

/// Loads that only fill the store: what a load of the image would store, without delivering it.
extension ImageLoader {
  /// Stores the original bytes of a request, of which only the header is read; or, if the storage policy encodes images,
  /// the processed image, and the original unless the storage policy keeps none.
  ///
  /// - Returns: Whether anything was loaded: `false` if the store has it, and for sources on this machine.
  /// - Throws: Also errors of encoders and of the store, since storing is what the caller requested.
  func prefetchToStore(_ request: ImageRequest, _ subscription: LoadSubscription) async throws(ImageError) -> Bool {
    try await reporting(request, to: subscription, end: { .finished($0 ? .network : .store, LoadTrace()) }) {
      () async throws(ImageError) in
      try await withFallback(request, subscription) { [self] request throws(ImageError) in
        try await prefetchSingleSource(request, subscription)
      }
    }
  }

  private func prefetchSingleSource(
    _ request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Bool {
    switch try ResolvedSource(request.source) {
    case .file, .inline, .data: return false
    case .web, .unresolved, .provider, .decoded: break
    }
    let keys = RequestKeys(request)
    guard let cache = configuration.httpCache(for: request), request.writesStore else {
      throw .notStorable(key: keys.fetch.sourceText)
    }
    if request.storagePolicy.encodesImages { return try await prefetchVariant(request, keys, subscription) }
    let encoded = try await bytes.encodedImage(for: request, key: keys.fetch, subscription: subscription)
    if encoded.origin != .store {
      guard let storable = encoded.storable else { throw .notStorable(key: keys.fetch.sourceText) }
      // The load that verified the bytes first stores them.
      if encoded.markVerified() { try await store(encoded, as: storable, in: cache, for: request) }
    }
    if request.optionsBox != nil { try await applyStoreOptions(request, after: encoded) }
    return encoded.origin != .store
  }

  /// Stores a processed image, which takes decoding it; memory is not written.
  private func prefetchVariant(
    _ request: ImageRequest, _ keys: RequestKeys, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Bool {
    guard request.targetSize.isValid else { throw .invalidTargetSize(request.targetSize) }
    let watch = watch(keys.image, for: request)
    if let stored = await storedVariantBytes(request, keys: keys, subscription) {
      try await applyStoreOptions(request, after: stored)
      return false
    }
    let loaded = try await load(request, keys: keys, stale: nil, subscription, keepsResult: false)
    guard let encoded = loaded.encoded, encoded.isFoundAgain, !loaded.image.isPartial else {
      throw .notStorable(key: keys.fetch.sourceText)
    }
    let storesOriginalBytes = request.storesOriginalBytes(of: loaded.image)
    if storesOriginalBytes {
      await storeOriginal(encoded, of: request, configuration.cache(for: request).placeholders[keys.fetch])
    }
    // A caller that joined this load has started the write.
    await loaded.variantWrite?.value
    if !storesOriginalBytes, await isVariantMissing(after: loaded, request, keys, subscription) {
      try await storeVariantNow(of: loaded.image, encoded, request, keys: keys, watch)
    }
    if storesOriginalBytes || request.storesOriginal { try await encoded.waitForStoring() }
    try await applyStoreOptions(request, after: encoded, loaded.variantWrite)
    return !storesOriginalBytes || encoded.origin != .store
  }

  private func isVariantMissing(
    after loaded: Loaded, _ request: ImageRequest, _ keys: RequestKeys, _ subscription: LoadSubscription
  ) async -> Bool {
    guard loaded.variantWrite != nil else { return true }
    return await storedVariantBytes(request, keys: keys, subscription) == nil
  }

  /// Completes the write even when the caller is cancelled, since other loads may wait for it.
  private func store(
    _ encoded: EncodedImage, as storable: StorableResponse, in cache: HTTPCache, for request: ImageRequest
  ) async throws(ImageError) {
    let write = Task {
      if !encoded.watch.isRemovedFromStore { try await cache.store(storable, body: encoded.data) }
    }
    configuration.cache(for: request).writes.track { _ = await write.result }
    if case .failure(let cause) = await write.result {
      throw .failed(cause: cause, url: encoded.metadata.url ?? .unnamedImage)
    }
    encoded.markStored()
    monitor?.report(.stored(.store, byteCount: encoded.data.count))
  }
}
