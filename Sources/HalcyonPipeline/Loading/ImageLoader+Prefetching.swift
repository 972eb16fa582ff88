import HalcyonCache
import HalcyonImaging

/// Loads that only fill the store, with what a load of the image would store.
extension ImageLoader {
  /// The outcome of a load that fills the store.
  enum Prefetched: Sendable {
    case loaded
    /// The store has the image, or its source is on this machine, so that only what is made of it is stored.
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
      case .inline, .data: return .skipped
      case .file where !load.request.encodesImages: return .skipped
      case .web, .file, .provider, .decoded: break
      }
      guard load.cache.encodedStore != nil, load.resolved.storeAccess.writes else {
        throw .notStorable(key: load.keys.fetch.sourceText)
      }
      return try await load.request.encodesImages ? prefetchVariant(load) : prefetchOriginal(load)
    }
  }

  private func prefetchOriginal(_ load: Load) async throws(ImageError) -> Prefetched {
    try checkFailure(of: load, as: load.keys.whole)
    let encoded = try await bytes.encodedImage(for: load)
    return try await fetchingAgain(encoded, load, as: load.keys.whole) { [self] encoded throws(ImageError) in
      try await prefetchOriginal(encoded, load)
    }
  }

  private func prefetchOriginal(_ encoded: EncodedImage, _ load: Load) async throws(ImageError) -> Prefetched {
    guard encoded.isFoundAgain, try await isWhole(encoded.data, encoded.info, load.request, encoded.sourceURL) else {
      throw .notStorable(key: load.keys.fetch.sourceText)
    }
    replaceEarlier(by: encoded, load)
    await storeOriginal(encoded, load, nil)
    try await encoded.waitForStoring()
    try await applyStoreOptions(load, after: encoded)
    return encoded.origin == .store ? .skipped : .loaded
  }

  /// Stores a processed image, which takes decoding it; memory is not written.
  private func prefetchVariant(_ load: Load) async throws(ImageError) -> Prefetched {
    let request = load.request
    let key = load.keys.variant(request.resolved.storage)
    if let stored = await storedBytes(load, key: key) {
      try await applyStoreOptions(load, after: stored)
      return .skipped
    }
    var loaded = try await self.load(load, keepsResult: false)
    if loaded.encoded == nil {
      // A hit in memory has no bytes.
      let withoutHit = load.changed { $0.memoryAccess = ($0.memoryAccess ?? .readWrite).withoutReads }
      loaded = try await self.load(withoutHit, keepsResult: false)
    }
    guard let encoded = loaded.encoded, encoded.isFoundAgain, !loaded.image.isPartial else {
      throw .notStorable(key: load.keys.fetch.sourceText)
    }
    let storesOriginalBytes = request.storesOriginalBytes(of: loaded.image, configuration.encoders)
    if storesOriginalBytes { await storeOriginal(encoded, load, load.cache.placeholders[load.keys.fetch]) }
    // A caller that joined this load has started the write.
    await loaded.variantWrite?.value
    if !storesOriginalBytes {
      let isStored = loaded.variantWrite == nil ? false : await storedBytes(load, key: key) != nil
      if !isStored { try await storeVariantNow(of: loaded.image, encoded, load) }
    }
    if storesOriginalBytes || request.storesOriginal { try await encoded.waitForStoring() }
    try await applyStoreOptions(load, after: encoded, loaded.variantWrite)
    return storesOriginalBytes && [.store, .file].contains(encoded.origin) ? .skipped : .loaded
  }
}

extension ImageLoader.Prefetched: LoadResult {
  var lastEvent: PipelineEvent.Kind { .finished(self == .loaded ? .network : .store, LoadTrace()) }
}
