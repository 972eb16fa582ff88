import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// What a load writes to the caches. Images encoded by a storage policy are in `ImageLoader+Variants.swift`.
extension ImageLoader {
  func storeInMemory(
    _ loaded: Loaded, _ request: ImageRequest, _ keys: RequestKeys, _ subscription: LoadSubscription,
    _ watch: RemovalWatch
  ) {
    let ofError = loaded.encoded.flatMap { $0.isOfErrorStatus ? $0.metadata.expiration : nil }
    let expiration = ofError ?? request.optionsBox?.options.memoryExpiration
    let memory = configuration.cache(for: request).memory
    guard !loaded.isRemoved(watch), memory.store(loaded.image, for: keys.image, expiration: expiration) else { return }
    // Removed on another thread before it was stored.
    if loaded.isRemoved(watch) { return memory.removeImage(for: keys.image) }
    configuration.report(.stored(.memory, byteCount: loaded.image.byteCount), to: subscription)
  }

  /// Applies the tags, the expiration and the pin of a request whose image was in memory to its stored entries, in the
  /// background, once pending writes have ended.
  @inline(never)
  func applyStoreOptions(_ request: ImageRequest) {
    guard request.changesEntries else { return }
    let writes = configuration.cache(for: request).writes
    let pending = writes.pending
    writes.track { [configuration] in
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
    let application = configuration.cache(for: request).writes.track { [configuration] in
      try? await encoded?.waitForWriting()
      await variantWrite?.value
      await configuration.applyStoreOptions(of: request)
    }
    if request.waitsForWrite { try await application.waitUnlessCancelled() }
  }

  /// Starts storing the original bytes, unless the storage policy stores only the processed image.
  func storeOriginalIfWanted(_ encoded: EncodedImage, of request: ImageRequest, _ placeholder: ThumbHash?) async {
    if request.storesOriginal { await storeOriginal(encoded, of: request, placeholder) }
  }

  /// Starts storing the original bytes in the background. A store that fails does not fail the load.
  func storeOriginal(_ encoded: EncodedImage, of request: ImageRequest, _ placeholder: ThumbHash?) async {
    guard var storable = encoded.storable, let cache = configuration.httpCache(for: request) else { return }
    storable.metadata.placeholder = placeholder
    let writes = configuration.cache(for: request).writes
    await encoded.startWriting { [monitor, storable] in
      // Holds the bytes until they are written, so that other loads find them in flight.
      await writes.start(byteCount: encoded.data.count) {
        if encoded.watch.isRemovedFromStore { return }
        do {
          try await cache.store(storable, body: encoded.data)
        } catch {
          return encoded.markFailed(error)
        }
        encoded.markStored()
        monitor?.report(.stored(.store, byteCount: encoded.data.count))
      }
    }
  }
}

extension ImageLoader {
  /// The placeholder stored with the original bytes; `nil` if they are not stored, if the image was cropped or stretched,
  /// or if the request has a decoder of its own, which may change the pixels.
  static func placeholder(
    for image: DecodedImage, of encoded: EncodedImage, for request: ImageRequest, _ configuration: PipelineConfiguration
  ) -> ThumbHash? {
    guard configuration.makesPlaceholders, encoded.storable != nil, !image.isPartial else { return nil }
    guard request.optionsBox?.options.decoderHook == nil else { return nil }
    switch request.targetSize {
    case .original, .fit: return ThumbHash(image.bitmap)
    case .fill, .exact: return nil
    }
  }
}

extension ImageLoader.Loaded {
  /// Whether the image, or the bytes that it was made from, have been removed since their loads began.
  func isRemoved(_ watch: RemovalWatch) -> Bool {
    watch.isRemovedFromMemory || watch.isRemovedFromStore || encoded?.watch.isRemovedFromStore == true
  }

  /// Waits until everything that is being stored of the image is stored, or has failed.
  mutating func waitForWriting() async throws(ImageError) {
    let start = ContinuousClock.now
    try await encoded?.waitForWriting()
    try await variantWrite?.waitUnlessCancelled()
    trace.add(.storeWrite, since: start)
  }
}
