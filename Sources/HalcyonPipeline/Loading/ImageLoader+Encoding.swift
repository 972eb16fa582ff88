import Foundation
import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// An image encoded as the storage policy of a request says.
struct EncodedVariant: Sendable {
  var data: Data
  var origin: ImageOrigin
  /// Whether the file was in the store, so that nothing was decoded and encoded.
  var wasStored = false
  /// The tier of a tiered store in which the file was.
  var storeTier: String?
  /// The head of the response that it was made from; `nil` if that did not come over HTTP.
  var head: ResponseHead?
  /// Whether redirects led to that response.
  var isRedirected = false
  /// The uptime until which it is fresh; `nil` if it did not come over HTTP, or must not be stored.
  var freshEnd: Duration?
}

extension EncodedVariant {
  /// A variant made from bytes, or read as they are.
  fileprivate init(_ data: Data, of encoded: EncodedImage, wasStored: Bool = false) {
    self.init(
      data: data, origin: encoded.origin, wasStored: wasStored, storeTier: wasStored ? encoded.trace.storeTier : nil,
      head: encoded.responseHead, isRedirected: !encoded.metadata.redirects.isEmpty,
      freshEnd: encoded.isFoundAgain ? encoded.freshEnd : nil)
  }
}

/// Loads of encoded images: thumbnails that a server sends, files for other programs.
extension ImageLoader {
  /// The image of a request in the form of its storage policy: from the store, or encoded and then stored.
  ///
  /// - Parameter planner: Decides on size, processors and form once the bytes are known; `nil` for those of the request.
  func encodedVariant(
    for request: ImageRequest, planner: EncodingPlanner? = nil
  ) async throws(ImageError) -> EncodedVariant {
    guard request.targetSize.isValid else { throw .invalidTargetSize(request.targetSize) }
    let subscription = LoadSubscription(priority: request.loadPriority) { _ in }
    return try await reporting(request, to: subscription, end: { .finished($0.origin, LoadTrace()) }) {
      () async throws(ImageError) in
      try await withFallback(request, subscription) { [self] request throws(ImageError) in
        if let planner { return try await plannedVariant(of: request, planner, subscription) }
        return try await singleEncodedVariant(for: request, subscription)
      }
    }
  }

  private func singleEncodedVariant(
    for request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedVariant {
    let keys = RequestKeys(request)
    let key = keys.variant(request.storagePolicy) ?? keys.image
    let watch = watch(key, for: request)
    return try await encodings.value(
      for: JobKey(key: key, options: LoadKey.key(request), removals: watch.removals), subscription: subscription,
      keepsResult: true
    ) { [self] subscription throws(ImageError) in
      if let stored = await storedVariantBytes(request, keys: keys, subscription) {
        try await applyStoreOptions(request, after: stored)
        return EncodedVariant(stored.data, of: stored, wasStored: true)
      }
      let loaded = try await load(request, keys: keys, stale: nil, subscription, keepsResult: false)
      // Without reading memory every image is made from bytes.
      guard let encoded = loaded.encoded else { throw .notCached(key: keys.fetch.sourceText) }
      return try await variant(
        of: loaded.image, encoded, request, key: keys.variant(request.storagePolicy), subscription, watch)
    }
  }

  /// An image encoded, and its storing started.
  private func variant(
    of image: DecodedImage, _ encoded: EncodedImage, _ request: ImageRequest, key: CacheKey?,
    _ subscription: LoadSubscription, _ watch: RemovalWatch
  ) async throws(ImageError) -> EncodedVariant {
    let data: Data?
    do {
      data = try await encode(image, request, original: encoded.data, priority: subscription.priority)
    } catch {
      throw ImageError(encoding: error, encoded)
    }
    guard let data else { return EncodedVariant(encoded.data, of: encoded) }
    if !image.isPartial {
      await startStoring(data, of: encoded, request, key: key, watch)
      try await applyStoreOptions(request, after: encoded)
    }
    return EncodedVariant(data, of: encoded)
  }
}

/// Images whose size and form depend on the properties of their files.
extension ImageLoader {
  private func plannedVariant(
    of request: ImageRequest, _ planner: EncodingPlanner, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedVariant {
    let keys = RequestKeys(request)
    let key = keys.image.adding("plan", planner.identifier)
    let watch = watch(key, for: request)
    return try await encodings.value(
      for: JobKey(key: key, options: LoadKey.key(request), removals: watch.removals), subscription: subscription,
      keepsResult: true
    ) { [self] subscription throws(ImageError) in
      if let stored = await storedVariantBytes(request, key: key, subscription) {
        try await applyStoreOptions(request, after: stored)
        return EncodedVariant(stored.data, of: stored, wasStored: true)
      }
      let encoded = try await bytes.encodedImage(for: request, key: keys.fetch, subscription: subscription)
      guard let plan = try plan(planner, encoded) else {
        try await store(encoded, of: request)
        return EncodedVariant(encoded.data, of: encoded, wasStored: encoded.origin == .store)
      }
      do throws(ImageError) {
        return try await variant(of: encoded, plan, request, keys: (keys.fetch, key), subscription, watch)
      } catch {
        let fetched = try await fetchAgain(encoded, after: error, request, key: keys.fetch, subscription)
        return try await variant(of: fetched, plan, request, keys: (keys.fetch, key), subscription, watch)
      }
    }
  }

  /// What is made of an image in one piece of work.
  private struct Made: Sendable {
    let data: Data
    let placeholder: ThumbHash?
    let decodedSize: PixelSize
    let isPartial: Bool
  }

  /// Decodes, processes and encodes an image once there is memory for it, and starts storing it.
  private func variant(
    of encoded: EncodedImage, _ plan: EncodingPlan, _ request: ImageRequest, keys: (fetch: CacheKey, variant: CacheKey),
    _ subscription: LoadSubscription, _ watch: RemovalWatch
  ) async throws(ImageError) -> EncodedVariant {
    let request = plan.applied(to: request)
    let made: Made
    do {
      let decoder = try configuration.decoders(for: request).decoder(for: encoded.info.format)
      let byteCount = plan.byteCount(for: encoded, decoder)
      try await configuration.memoryBudget.reserve(byteCount)
      defer { configuration.memoryBudget.release(byteCount) }
      // One piece of work: no bitmap waits for a thread.
      made = try await workers.run(for: subscription) { [self] flag in
        try flag.asCurrent { try make(encoded, request, by: decoder, flag) }
      }
    } catch let error as ImageError {
      throw error
    } catch {
      throw ImageError(decoding: error, encoded)
    }
    // Encoders that cannot be cancelled end later; nothing is stored after a cancellation.
    if Task.isCancelled { throw .cancelled }
    configuration.report(.decoded(made.decodedSize), to: subscription)
    for processor in plan.processors {
      configuration.report(.processed(identifier: processor.identifier), to: subscription)
    }
    if let known = made.placeholder ?? encoded.metadata.placeholder, !encoded.watch.isRemovedFromStore {
      configuration.cache(for: request).placeholders.insert(known, for: keys.fetch)
    }
    if !made.isPartial {
      await storeOriginalIfWanted(encoded, of: request, made.placeholder)
      await startStoring(made.data, of: encoded, request, key: keys.variant, watch)
      try await applyStoreOptions(request, after: encoded)
    }
    return EncodedVariant(made.data, of: encoded)
  }

  /// Decodes, processes and encodes an image on the calling thread.
  private func make(
    _ encoded: EncodedImage, _ request: ImageRequest, by decoder: any ImageDecoder, _ flag: CancellationFlag
  ) throws -> Made {
    var (image, placeholder) = try decodeNow(encoded, request, by: decoder, flag)
    let decodedSize = image.bitmap.size
    for processor in request.processors {
      let processor = processor.bound(to: encoded, image, request)
      do {
        try CancellationFlag.checkCurrent()
        image = image.replacing(try processor.process(image.bitmap))
      } catch {
        throw ImageError(processing: error, by: processor)
      }
    }
    do {
      try CancellationFlag.checkCurrent()
      let data = try request.storagePolicy.encoded(
        image, by: configuration.encoders, original: encoded.data, decoders: configuration.decoders(for: request))
      return Made(
        data: data ?? encoded.data, placeholder: placeholder, decodedSize: decodedSize, isPartial: image.isPartial)
    } catch {
      throw ImageError(encoding: error, encoded)
    }
  }

  private func plan(_ planner: EncodingPlanner, _ encoded: EncodedImage) throws(ImageError) -> EncodingPlan? {
    do {
      guard let plan = try planner.plan(encoded.info) else { return nil }
      guard plan.size.isValid else { throw ImageError.invalidTargetSize(plan.size) }
      return plan
    } catch let error as ImageError {
      throw error
    } catch {
      throw .failed(cause: error, url: encoded.metadata.url ?? .unnamedImage)
    }
  }
}

extension ImageProcessor {
  /// The processor with the context of an image, if it needs one.
  fileprivate func bound(to encoded: EncodedImage, _ image: DecodedImage, _ request: ImageRequest) -> any ImageProcessor
  {
    guard let processor = self as? any ContextualImageProcessor else { return self }
    return processor.bound(
      to: ImageProcessingContext(
        request: request, response: encoded.responseHead, info: image.info, isComplete: !image.isPartial))
  }
}

extension EncodingPlan {
  /// An estimate of the memory that an image takes until it is encoded.
  fileprivate func byteCount(for encoded: EncodedImage, _ decoder: any ImageDecoder) -> Int {
    let mayBeProgressive = [.jpeg, .png].contains(encoded.info.format)
    let isProgressive = mayBeProgressive && (try? decoder.metadata(of: encoded.data).isProgressive) == true
    return encoded.info.decodingByteCount(
      outputSize: size.size(for: encoded.info.pixelSize), isProgressive: isProgressive)
      + min(max(processingByteCount, 0), .max / 8)
  }
}
