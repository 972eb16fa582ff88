import Foundation
import HalcyonCache
import HalcyonImaging

/// An image encoded as the storage policy of a request says.
struct EncodedVariant: Sendable {
  var data: Data
  var origin: ImageOrigin
  /// Whether the file was in the store, so that nothing was decoded and encoded.
  var wasStored = false
  /// The head of the response that it was made from; `nil` if that did not come over HTTP.
  var head: ResponseHead?
}

/// Loads of encoded images: thumbnails that a server sends, files for other programs.
extension ImageLoader {
  /// The image of a request in the form of its storage policy: from the store, or encoded and then stored.
  func encodedVariant(for request: ImageRequest) async throws(ImageError) -> EncodedVariant {
    guard request.size.isValid else { throw .invalidTargetSize(request.size) }
    let subscription = LoadSubscription(priority: request.priority) { _ in }
    return try await reporting(request, to: subscription, end: { .finished($0.origin, LoadTrace()) }) {
      () async throws(ImageError) in
      try await withFallback(request, subscription) { [self] request throws(ImageError) in
        try await singleEncodedVariant(for: request, subscription)
      }
    }
  }

  private func singleEncodedVariant(
    for request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedVariant {
    let keys = RequestKeys(request)
    let jobKey = JobKey(key: keys.variant(request.storage) ?? keys.image, options: LoadKey.key(request))
    return try await encodings.value(
      for: jobKey, subscription: subscription, keepsResult: true
    ) { [self] subscription throws(ImageError) in
      if let stored = await storedVariantBytes(request, keys: keys, subscription) {
        try await applyStoreOptions(request, after: stored)
        return EncodedVariant(data: stored.data, origin: .store, wasStored: true, head: stored.responseHead)
      }
      let loaded = try await load(request, keys: keys, stale: nil, subscription, keepsResult: false)
      // Without reading memory every image is made from bytes.
      guard let encoded = loaded.encoded else { throw .notCached(keys.fetch) }
      let data: Data?
      do {
        data = try await encode(loaded.image, request, original: encoded.data, priority: subscription.priority)
      } catch is CancellationError {
        throw .cancelled
      } catch {
        throw .failed(cause: error, url: encoded.metadata.url ?? .unnamedImage)
      }
      let head = encoded.responseHead
      guard let data else { return EncodedVariant(data: encoded.data, origin: encoded.origin, head: head) }
      if !loaded.image.isPartial {
        await startStoring(data, of: encoded, request, keys: keys)
        try await applyStoreOptions(request, after: encoded)
      }
      return EncodedVariant(data: data, origin: encoded.origin, head: head)
    }
  }
}
