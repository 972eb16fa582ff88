import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Processed images in the store, by the ``StoragePolicy`` of their requests.
extension ImageLoader {
  /// The processed image from the store; `nil` if there is none, or it is not fresh.
  func storedVariant(_ load: Load) async throws(ImageError) -> LoadedImage? {
    guard let encoded = await storedBytes(load, key: load.keys.variant(load.resolved.storage)) else { return nil }
    do throws(ImageError) {
      var loaded = try await decodeOnce(encoded, load.changed { $0 = $0.ofStoredForm })
      loaded.isStoredVariant = true
      loaded.image.facts.isStoredVariant = load.resolved.size != .original || load.request.region != nil
      return loaded
    } catch {
      // After damage, the image is made from the original again.
      if case .cancelled = error { throw error }
      return nil
    }
  }

  /// The bytes of the processed image from the store; `nil` if there are none, or they are not fresh.
  func storedBytes(_ load: Load, key: CacheKey?) async -> EncodedImage? {
    guard !load.resolved.cachePolicy.contactsServerFirst, let stored = await storedForm(load, key: key), stored.isServed
    else { return nil }
    return stored.image
  }

  /// The bytes of the processed image from the store, and whether they are served without contacting the server.
  func storedForm(_ load: Load, key: CacheKey?) async -> (image: EncodedImage, isServed: Bool)? {
    let request = load.request
    guard let key, request.resolved.storeAccess.reads, let cache = variantCache(load) else { return nil }
    let stored = load.shared(by: load.subscription, for: RemovalWatch(key, in: load.cache))
      .changed { $0 = $0.ofStoredForm }
    if let image = bytes.revalidatedImage(stored) { return (image, true) }
    let start = ContinuousClock.now
    let (lookup, tier) = await TierTrace.recording {
      await cache.lookUp(
        key, requestHeaders: request.headers.adding(configuration.headers), policy: request.resolved.cachePolicy,
        at: configuration.time.now())
    }
    guard let entry = lookup.stored, await !isOutdated(entry, load) else { return nil }
    let isServed = lookup.action == .serve || !request.source.followsHTTP
    if isServed { stored.record { $0.add(.storeRead, since: start, tier: tier) } }
    guard let image = bytes.storedImage(entry, of: stored) else { return nil }
    if !isServed { bytes.reportStored(image, for: stored.inFlightKey, load) }
    return (image, isServed)
  }

  /// Starts encoding and storing a processed image in the background. A failure does not fail the load.
  func storeVariant(of loaded: LoadedImage, _ load: Load) async -> Task<Void, Never>? {
    let request = load.request
    guard request.resolved.storeAccess.writes, let encoded = loaded.encoded,
      let write = variantWrite(load, load.keys.variant(request.resolved.storage), of: encoded)
    else { return nil }
    if request.storesOriginalBytes(of: loaded.image, configuration.encoders) {
      await storeOriginal(encoded, load, load.cache.placeholders[load.keys.fetch])
      return nil
    }
    let image = loaded.image
    // The original is retained only if its metadata is needed.
    let original = request.resolved.storage.encoding?.metadata == .strip ? nil : encoded
    return await load.cache.writes.start(byteCount: image.bitmap.byteCount) { [self] in
      do {
        guard let data = try await encodedData(of: image, request, original: original) else { return }
        // The store reports its failures itself.
        try? await write(data)
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
    guard let write = variantWrite(load, load.keys.variant(request.resolved.storage), of: encoded) else {
      throw .notStorable(key: load.keys.fetch.sourceText)
    }
    let work = Task {
      guard let data = try await encodedData(of: image, request, original: encoded) else { return }
      try await write(data)
    }
    load.cache.writes.track { _ = await work.result }
    if case .failure(let cause) = await work.result {
      throw (cause as? ImageError) ?? .failed(cause: cause, url: encoded.sourceURL)
    }
  }

  /// The image in the form of its storage policy; `nil` if that is its original bytes.
  ///
  /// - Parameter original: The bytes that the image was made from, for their metadata; `nil` if it has none of them.
  func encodedData(
    of image: DecodedImage, _ request: ImageRequest, original: EncodedImage?, priority: ImagePriority = .low
  ) async throws(ImageError) -> Data? {
    guard let encoding = request.resolved.storage.encoding else { return nil }
    let file = original.flatMap { try? self.file($0, request) }
    do {
      return try await workers.run(priority: priority) { [renderer] flag in
        try flag.asCurrent { try renderer.encoded(image, as: encoding, of: file) }
      }
    } catch {
      throw ImageError(rendering: error, url: original?.sourceURL ?? RequestKeys(request).fetch.sourceURL)
    }
  }

  /// Starts storing an encoded image under the key of its load in the background, unless the request or the server
  /// forbids it.
  func startStoring(_ data: Data, of encoded: EncodedImage, _ load: Load) async {
    guard load.resolved.storeAccess.writes, let write = variantWrite(load, load.key, of: encoded) else { return }
    let work = await load.cache.writes.start(byteCount: data.count) { try? await write(data) }
    if load.resolved.waitsForStore { try? await work.waitUnlessCancelled() }
  }

  /// The write of an image made from `encoded`, which does nothing if the image or these bytes were removed meanwhile;
  /// `nil` without a key, or if the source, the response or a missing store forbids it.
  private func variantWrite(
    _ load: Load, _ key: CacheKey?, of encoded: EncodedImage
  ) -> (@Sendable (Data) async throws -> Void)? {
    guard let key, encoded.isFoundAgain, let cache = variantCache(load) else { return nil }
    var metadata = encoded.storable?.metadata ?? encoded.metadata
    (metadata.variants, metadata.original) = ([], encoded.mark)
    let storable = StorableResponse(
      metadata: metadata, key: key, requestHeaders: load.request.headers.adding(configuration.headers),
      knownVariants: [])
    return { [monitor, watch = load.watch] data in
      await encoded.waitForReplacing()
      if watch.isRemovedFromStore || encoded.isRemovedOrReplaced { return }
      try await cache.store(storable, body: data)
      monitor?.report(.stored(.store, byteCount: data.count))
    }
  }

  /// The store of processed images; `nil` without one, or if the request contains the bytes.
  private func variantCache(_ load: Load) -> HTTPCache? {
    guard (try? ResolvedSource(load.request.source))?.isInline == false else { return nil }
    return configuration.httpCache(for: load.request)
  }
}

extension ImageRequest {
  /// The request for decoding the stored form, which has the requested size already, and a standard format.
  fileprivate var ofStoredForm: ImageRequest {
    var request = self
    (request.size, request.region) = (.original, nil)
    if request.optionsBox?.options.decoderHook != nil { request.options.decoder = nil }
    return request
  }
}
