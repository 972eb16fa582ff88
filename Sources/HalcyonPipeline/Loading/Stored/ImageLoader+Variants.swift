import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Processed images in the store, by the ``StoragePolicy`` of their requests.
extension ImageLoader {
  /// Where a processed image is stored.
  struct VariantEntry: Sendable {
    let key: CacheKey
    let cache: HTTPCache
    let isFromHTTP: Bool
  }

  /// The processed image from the store; `nil` if there is none, or it is not fresh.
  func storedVariant(
    _ request: ImageRequest, keys: RequestKeys, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Loaded? {
    guard let encoded = await storedVariantBytes(request, keys: keys, subscription) else { return nil }
    do throws(ImageError) {
      var loaded = try await decode(encoded, request: request.ofStoredForm, key: keys.fetch, subscription)
      loaded.isStoredVariant = true
      loaded.image.facts.isStoredVariant = request.targetSize != .original
      return loaded
    } catch {
      // A damaged entry is loaded from the original again.
      if case .cancelled = error { throw error }
      return nil
    }
  }

  /// The bytes of the processed image from the store; `nil` if there are none, or they are not fresh.
  func storedVariantBytes(
    _ request: ImageRequest, keys: RequestKeys, _ subscription: LoadSubscription
  ) async -> EncodedImage? {
    await storedVariantBytes(request, key: keys.variant(request.storagePolicy), subscription)
  }

  func storedVariantBytes(
    _ request: ImageRequest, key: CacheKey?, _ subscription: LoadSubscription
  ) async -> EncodedImage? {
    guard request.readsStore, !request.freshness.contactsServerFirst,
      let variant = variantEntry(request, key)
    else { return nil }
    let watch = watch(variant.key, for: request)
    var trace = LoadTrace()
    let start = ContinuousClock.now
    let (lookup, tier) = await TierTrace.recording {
      await variant.cache.lookUp(
        variant.key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
        at: configuration.time.now())
    }
    trace.add(.storeRead, since: start, tier: tier)
    guard let entry = lookup.stored else { return nil }
    guard lookup.action == .serve || !variant.isFromHTTP else {
      subscription.report(.storedStale)
      return nil
    }
    return bytes.storedImage(entry, for: request.ofStoredForm, isFromHTTP: variant.isFromHTTP, trace: trace, watch)
  }

  /// Starts encoding and storing a processed image in the background. A failure does not fail the load.
  func storeVariant(
    of loaded: Loaded, _ request: ImageRequest, keys: RequestKeys, _ watch: RemovalWatch
  ) async -> Task<Void, Never>? {
    guard request.writesStore, let encoded = loaded.encoded, let variant = variantEntry(request, keys),
      let storable = encoded.storable(asVariant: variant.key, for: request, configuration)
    else { return nil }
    if request.storesOriginalBytes(of: loaded.image) {
      let placeholder = configuration.cache(for: request).placeholders[keys.fetch]
      await storeOriginal(encoded, of: request, placeholder)
      return nil
    }
    let image = loaded.image
    // The original is retained only if its metadata is needed.
    let original = request.storagePolicy.metadata == .strip ? nil : encoded.data
    return await configuration.cache(for: request).writes.start(byteCount: image.bitmap.byteCount) { [self] in
      // The store reports its failures itself.
      guard let data = await encodedVariant(image, request, original: original) else { return }
      try? await store(data, as: storable, in: variant.cache, encoded, watch)
    }
  }

  /// Encodes and stores a processed image, and waits for it.
  ///
  /// The write is completed even when the caller is cancelled.
  ///
  /// - Throws: Errors of the encoder and of the store.
  func storeVariantNow(
    of image: DecodedImage, _ encoded: EncodedImage, _ request: ImageRequest, keys: RequestKeys, _ watch: RemovalWatch
  ) async throws(ImageError) {
    guard let variant = variantEntry(request, keys),
      let storable = encoded.storable(asVariant: variant.key, for: request, configuration)
    else { throw .notStorable(key: keys.fetch.sourceText) }
    let write = Task {
      guard let data = try await encode(image, request, original: encoded.data) else { return }
      try await store(data, as: storable, in: variant.cache, encoded, watch)
    }
    configuration.cache(for: request).writes.track { _ = await write.result }
    if case .failure(let cause) = await write.result {
      throw .failed(cause: cause, url: encoded.metadata.url ?? .unnamedImage)
    }
  }

  private func encodedVariant(_ image: DecodedImage, _ request: ImageRequest, original: Data?) async -> Data? {
    do {
      return try await encode(image, request, original: original)
    } catch {
      monitor?.report(.storeFailed(error))
      return nil
    }
  }

  /// - Parameter original: The bytes that the image was made from; `nil` if they are not known.
  func encode(
    _ image: DecodedImage, _ request: ImageRequest, original: Data?, priority: ImagePriority = .low
  ) async throws -> Data? {
    let (policy, encoders, decoders) = (
      request.storagePolicy, configuration.encoders, configuration.decoders(for: request)
    )
    return try await workers.run(priority: priority) { flag in
      try flag.asCurrent { try policy.encoded(image, by: encoders, original: original, decoders: decoders) }
    }
  }

  /// Starts storing an encoded image in the background, unless the request or the server forbids it.
  func startStoring(
    _ data: Data, of encoded: EncodedImage, _ request: ImageRequest, key: CacheKey?, _ watch: RemovalWatch
  ) async {
    guard request.writesStore, let variant = variantEntry(request, key),
      let storable = encoded.storable(asVariant: variant.key, for: request, configuration)
    else { return }
    let write = await configuration.cache(for: request).writes.start(byteCount: data.count) { [self] in
      try? await store(data, as: storable, in: variant.cache, encoded, watch)
    }
    if request.waitsForWrite { try? await write.waitUnlessCancelled() }
  }

  /// Stores an encoded image, unless it or the bytes it was made from have been removed meanwhile.
  private func store(
    _ data: Data, as storable: StorableResponse, in cache: HTTPCache, _ encoded: EncodedImage, _ watch: RemovalWatch
  ) async throws {
    if watch.isRemovedFromStore || encoded.watch.isRemovedFromStore { return }
    try await cache.store(storable, body: data)
    monitor?.report(.stored(.store, byteCount: data.count))
  }

  /// Where the processed image is stored; `nil` if the policy, the source or a missing store rules that out.
  private func variantEntry(_ request: ImageRequest, _ keys: RequestKeys) -> VariantEntry? {
    variantEntry(request, keys.variant(request.storagePolicy))
  }

  private func variantEntry(_ request: ImageRequest, _ key: CacheKey?) -> VariantEntry? {
    guard let key,
      let cache = configuration.httpCache(in: configuration.cache(for: request), for: request)
    else { return nil }
    switch try? ResolvedSource(request.source) {
    case .web, .unresolved: return VariantEntry(key: key, cache: cache, isFromHTTP: true)
    case .provider, .decoded: return VariantEntry(key: key, cache: cache, isFromHTTP: false)
    case .file, .inline, .data, nil: return nil
    }
  }
}

extension ImageRequest {
  /// The request to decode the stored form with: it has the requested size, and was encoded by the pipeline.
  fileprivate var ofStoredForm: ImageRequest {
    var request = self
    request.size = .original
    if request.optionsBox?.options.decoderHook != nil { request.options.decoder = nil }
    return request
  }

  /// Whether the store gets the original bytes in place of the image of this request.
  func storesOriginalBytes(of image: DecodedImage) -> Bool {
    storagePolicy.storesOriginalBytes(of: image, isProcessed: !processors.isEmpty)
  }
}

extension EncodedImage {
  /// How an image made from these bytes is stored; `nil` if the bytes must not be stored, or are the stored image itself.
  fileprivate func storable(
    asVariant key: CacheKey, for request: ImageRequest, _ configuration: PipelineConfiguration
  ) -> StorableResponse? {
    guard isFoundAgain else { return nil }
    var metadata = storable?.metadata ?? metadata
    metadata.variants = []
    return StorableResponse(
      metadata: metadata, key: key, requestHeaders: request.headers.adding(configuration.headers), knownVariants: [])
  }
}
