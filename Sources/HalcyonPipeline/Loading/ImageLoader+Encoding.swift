import Foundation
import HalcyonCache
import HalcyonImaging

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
  /// The uptime until which it is fresh; `nil` if it did not come over HTTP, or must not be stored.
  var freshEnd: Duration?
}

extension EncodedVariant {
  /// A variant made from bytes, or read as they are.
  fileprivate init(_ data: Data, of encoded: EncodedImage, wasStored: Bool = false) {
    self.init(
      data: data, origin: encoded.origin, wasStored: wasStored, storeTier: wasStored ? encoded.trace.storeTier : nil,
      head: encoded.responseHead,
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
    guard request.size.isValid else { throw .invalidTargetSize(request.size) }
    let subscription = LoadSubscription(priority: request.priority) { _ in }
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
    let key = keys.variant(request.storage) ?? keys.image
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
      guard let encoded = loaded.encoded else { throw .notCached(keys.fetch) }
      return try await variant(
        of: loaded.image, encoded, request, key: keys.variant(request.storage), subscription, watch)
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
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(cause: error, url: encoded.metadata.url ?? .unnamedImage)
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
      guard let planned = try planned(request, planner, encoded) else {
        try await store(encoded, of: request)
        return EncodedVariant(encoded.data, of: encoded, wasStored: encoded.origin == .store)
      }
      var loaded = try await decodeOrFetchAgain(encoded, planned, key: keys.fetch, subscription)
      for processor in planned.processors { try await apply(processor, to: &loaded, planned, subscription) }
      return try await variant(of: loaded.image, loaded.encoded ?? encoded, planned, key: key, subscription, watch)
    }
  }

  private func planned(
    _ request: ImageRequest, _ planner: EncodingPlanner, _ encoded: EncodedImage
  ) throws(ImageError) -> ImageRequest? {
    do {
      guard let plan = try planner.plan(encoded.info) else { return nil }
      guard plan.size.isValid else { throw ImageError.invalidTargetSize(plan.size) }
      return plan.applied(to: request)
    } catch let error as ImageError {
      throw error
    } catch {
      throw .failed(cause: error, url: encoded.metadata.url ?? .unnamedImage)
    }
  }
}
