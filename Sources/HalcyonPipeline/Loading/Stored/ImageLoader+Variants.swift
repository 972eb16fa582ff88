import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Processed images in the store, by the ``StoragePolicy`` of their requests.
extension ImageLoader {
  /// Where a processed image is stored.
  private struct VariantEntry: Sendable {
    let key: CacheKey
    let cache: HTTPCache
    let isFromHTTP: Bool
  }

  /// The processed image from the store; `nil` if there is none, or it is not fresh.
  @inline(never)
  func storedVariant(_ load: Load) async throws(ImageError) -> Loaded? {
    guard let encoded = await storedBytes(load, key: load.keys.variant(load.request.storagePolicy)) else { return nil }
    do throws(ImageError) {
      var loaded = try await decodeOnce(encoded, load.changed { $0 = $0.ofStoredForm })
      loaded.isStoredVariant = true
      loaded.image.facts.isStoredVariant = load.request.targetSize != .original
      return loaded
    } catch {
      // A damaged entry is loaded from the original again.
      if case .cancelled = error { throw error }
      return nil
    }
  }

  /// The bytes of the processed image from the store; `nil` if there are none, or they are not fresh.
  func storedBytes(_ load: Load, key: CacheKey?) async -> EncodedImage? {
    let request = load.request
    guard request.readsStore, !request.freshness.contactsServerFirst, let variant = variantEntry(load, key) else {
      return nil
    }
    let watch = RemovalWatch(variant.key, in: load.cache)
    let start = ContinuousClock.now
    let (lookup, tier) = await TierTrace.recording {
      await variant.cache.lookUp(
        variant.key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
        at: configuration.time.now())
    }
    guard let entry = lookup.stored else { return nil }
    guard lookup.action == .serve || request.source.isProvided else {
      load.subscription.report(.storedStale)
      return nil
    }
    let stored = load.shared(by: load.subscription, for: watch).changed { $0 = $0.ofStoredForm }
    stored.record { $0.add(.storeRead, since: start, tier: tier) }
    return bytes.storedImage(entry, of: stored)
  }

  /// Starts encoding and storing a processed image in the background. A failure does not fail the load.
  func storeVariant(of loaded: Loaded, _ load: Load) async -> Task<Void, Never>? {
    let request = load.request
    guard request.writesStore, request.storagePolicy.encodesImages, let encoded = loaded.encoded,
      let variant = variantEntry(load, load.keys.variant(request.storagePolicy)),
      let storable = encoded.storable(asVariant: variant.key, for: request, configuration.headers)
    else { return nil }
    if request.storesOriginalBytes(of: loaded.image) {
      await storeOriginal(encoded, load, load.cache.placeholders[load.keys.fetch])
      return nil
    }
    let image = loaded.image
    // The original is retained only if its metadata is needed.
    let original = request.storagePolicy.metadata == .strip ? nil : encoded.data
    return await load.cache.writes.start(byteCount: image.bitmap.byteCount) { [self] in
      do {
        guard let data = try await encodedData(of: image, request, original: original) else { return }
        // The store reports its failures itself.
        try? await writeVariant(data, as: storable, in: variant.cache, encoded, load.watch)
      } catch {
        monitor?.report(.storeFailed(error))
      }
    }
  }

  /// Encodes and stores a processed image, and waits for it.
  ///
  /// The write is completed even when the caller is cancelled.
  ///
  /// - Throws: Errors of the encoder and of the store.
  func storeVariantNow(of image: DecodedImage, _ encoded: EncodedImage, _ load: Load) async throws(ImageError) {
    let request = load.request
    guard let variant = variantEntry(load, load.keys.variant(request.storagePolicy)),
      let storable = encoded.storable(asVariant: variant.key, for: request, configuration.headers)
    else { throw .notStorable(key: load.keys.fetch.sourceText) }
    let write = Task {
      guard let data = try await encodedData(of: image, request, original: encoded.data) else { return }
      try await writeVariant(data, as: storable, in: variant.cache, encoded, load.watch)
    }
    load.cache.writes.track { _ = await write.result }
    if case .failure(let cause) = await write.result {
      throw .failed(cause: cause, url: encoded.metadata.url ?? .unnamedImage)
    }
  }

  /// - Parameter original: The bytes that the image was made from; `nil` if they are not known.
  func encodedData(
    of image: DecodedImage, _ request: ImageRequest, original: Data?, priority: ImagePriority = .low
  ) async throws -> Data? {
    let (policy, encoders, decoders) = (
      request.storagePolicy, configuration.encoders, configuration.decoders(for: request)
    )
    return try await workers.run(priority: priority) { flag in
      try flag.asCurrent { try policy.encoded(image, by: encoders, original: original, decoders: decoders) }
    }
  }

  /// Starts storing an encoded image under the key of its load in the background, unless the request or the server
  /// forbids it.
  func startStoring(_ data: Data, of encoded: EncodedImage, _ load: Load) async {
    guard load.request.writesStore, let variant = variantEntry(load, load.key),
      let storable = encoded.storable(asVariant: variant.key, for: load.request, configuration.headers)
    else { return }
    let write = await load.cache.writes.start(byteCount: data.count) { [self] in
      try? await writeVariant(data, as: storable, in: variant.cache, encoded, load.watch)
    }
    if load.request.waitsForWrite { try? await write.waitUnlessCancelled() }
  }

  /// Stores an encoded image, unless it or the bytes it was made from have been removed meanwhile.
  private func writeVariant(
    _ data: Data, as storable: StorableResponse, in cache: HTTPCache, _ encoded: EncodedImage, _ watch: RemovalWatch
  ) async throws {
    if watch.isRemovedFromStore || encoded.watch.isRemovedFromStore { return }
    try await cache.store(storable, body: data)
    monitor?.report(.stored(.store, byteCount: data.count))
  }

  /// Where the processed image is stored; `nil` if the policy, the source or a missing store rules that out.
  private func variantEntry(_ load: Load, _ key: CacheKey?) -> VariantEntry? {
    guard let key, let cache = configuration.httpCache(for: load.request) else { return nil }
    switch try? ResolvedSource(load.request.source) {
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
}

extension EncodedImage {
  /// How an image made from these bytes is stored; `nil` if the bytes must not be stored, or are the stored image itself.
  fileprivate func storable(
    asVariant key: CacheKey, for request: ImageRequest, _ headers: HTTPHeaders
  ) -> StorableResponse? {
    guard isFoundAgain else { return nil }
    var metadata = storable?.metadata ?? metadata
    metadata.variants = []
    return StorableResponse(
      metadata: metadata, key: key, requestHeaders: request.headers.adding(headers), knownVariants: [])
  }
}
