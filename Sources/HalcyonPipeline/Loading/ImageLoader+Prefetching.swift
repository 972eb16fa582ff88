import HalcyonCache
import HalcyonImaging

/// Loads that only fill the store: what a load of the image would store, without delivering it.
extension ImageLoader {
  /// What became of a load that fills the store.
  enum Prefetched: Sendable {
    case loaded
    /// The store has it, or its source is on this machine.
    case skipped
  }

  /// Stores the original bytes of a request, of which only the header is read; or, if the storage policy encodes images,
  /// the processed image, and the original unless the storage policy keeps none.
  ///
  /// - Throws: Also errors of encoders and of the store, since storing is what the caller requested.
  func prefetchToStore(
    _ request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Prefetched {
    try await around(newLoad(request, for: subscription)) { [self] load throws(ImageError) in
      switch try ResolvedSource(load.request.source) {
      case .file, .inline, .data: return .skipped
      case .web, .unresolved, .provider, .decoded: break
      }
      guard let cache = configuration.httpCache(for: load.request), load.request.writesStore else {
        throw .notStorable(key: load.keys.fetch.sourceText)
      }
      if load.request.storagePolicy.encodesImages { return try await prefetchVariant(load) }
      return try await prefetchOriginal(load, in: cache)
    }
  }

  private func prefetchOriginal(_ load: Load, in cache: HTTPCache) async throws(ImageError) -> Prefetched {
    let encoded = try await bytes.encodedImage(for: load)
    if encoded.origin != .store {
      guard let storable = encoded.storable else { throw .notStorable(key: load.keys.fetch.sourceText) }
      // The load that verified the bytes first stores them.
      if encoded.markVerified() { try await storeNow(encoded, as: storable, in: cache, load) }
    }
    if load.request.optionsBox != nil { try await applyStoreOptions(load, after: encoded) }
    return encoded.origin == .store ? .skipped : .loaded
  }

  /// Stores a processed image, which takes decoding it; memory is not written.
  private func prefetchVariant(_ load: Load) async throws(ImageError) -> Prefetched {
    let request = load.request
    guard request.targetSize.isValid else { throw .invalidTargetSize(request.targetSize) }
    let key = load.keys.variant(request.storagePolicy)
    if let stored = await storedBytes(load, key: key) {
      try await applyStoreOptions(load, after: stored)
      return .skipped
    }
    let loaded = try await self.load(load, keepsResult: false)
    guard let encoded = loaded.encoded, encoded.isFoundAgain, !loaded.image.isPartial else {
      throw .notStorable(key: load.keys.fetch.sourceText)
    }
    let storesOriginalBytes = request.storesOriginalBytes(of: loaded.image)
    if storesOriginalBytes { await storeOriginal(encoded, load, load.cache.placeholders[load.keys.fetch]) }
    // A caller that joined this load has started the write.
    await loaded.variantWrite?.value
    if !storesOriginalBytes {
      let isStored = loaded.variantWrite == nil ? false : await storedBytes(load, key: key) != nil
      if !isStored { try await storeVariantNow(of: loaded.image, encoded, load) }
    }
    if storesOriginalBytes || request.storesOriginal { try await encoded.waitForStoring() }
    try await applyStoreOptions(load, after: encoded, loaded.variantWrite)
    return storesOriginalBytes && encoded.origin == .store ? .skipped : .loaded
  }

  /// Completes the write even when the caller is cancelled, since other loads may wait for it.
  private func storeNow(
    _ encoded: EncodedImage, as storable: StorableResponse, in cache: HTTPCache, _ load: Load
  ) async throws(ImageError) {
    let write = Task {
      if !encoded.watch.isRemovedFromStore { try await cache.store(storable, body: encoded.data) }
    }
    load.cache.writes.track { _ = await write.result }
    if case .failure(let cause) = await write.result {
      throw .failed(cause: cause, url: encoded.metadata.url ?? .unnamedImage)
    }
    encoded.markStored()
    monitor?.report(.stored(.store, byteCount: encoded.data.count))
  }
}

extension ImageLoader.Prefetched: LoadResult {
  var lastEvent: PipelineEvent.Kind { .finished(self == .loaded ? .network : .store, LoadTrace()) }
  var shownImage: DecodedImage? { nil }
}
