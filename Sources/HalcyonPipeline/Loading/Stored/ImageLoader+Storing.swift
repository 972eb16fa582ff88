import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// The writes of a load to the caches. Images encoded by a storage policy are in `ImageLoader+Variants.swift`.
extension ImageLoader {
  /// Puts the result of a job into memory and into the store, as the request says.
  func keep(_ loaded: LoadedImage, _ load: Load) async -> LoadedImage {
    // The image of a caller that joins after this line is not put into memory; its next request loads again.
    guard load.subscription.keepsResult, !loaded.image.isPartial else { return loaded }
    guard loaded.encoded?.allowsMemory ?? true else {
      if load.resolved.memoryAccess.writes, !loaded.isRemoved(load.watch) {
        unstoredImages.insert(loaded.image, for: load.key, in: load.cache.memory, load.watch)
      }
      return loaded
    }
    if load.resolved.memoryAccess.writes { storeInMemory(loaded, load) }
    var loaded = loaded
    if !loaded.isStoredVariant { loaded.variantWrite = await storeVariant(of: loaded, load) }
    return loaded
  }

  private func storeInMemory(_ loaded: LoadedImage, _ load: Load) {
    let ofError = loaded.encoded.flatMap { $0.isOfErrorStatus ? $0.metadata.expiration : nil }
    let expiration = ofError ?? load.request.optionsBox?.options.memoryExpiration
    let memory = load.cache.memory
    guard !loaded.isRemoved(load.watch), memory.store(loaded.image, for: load.key, expiration: expiration) else {
      return
    }
    // Removed on another thread before it was stored.
    if loaded.isRemoved(load.watch) { return memory.removeImage(for: load.key) }
    load.report(.stored(.memory, byteCount: loaded.image.byteCount))
  }

  /// Applies the options of a request to the entries that a shared load has read or written for it, after the writes.
  ///
  /// - Parameter encoded: The bytes of the image; `nil` if it was made from an image in memory.
  func applyStoreOptions(
    _ load: Load, after encoded: EncodedImage?, _ variantWrite: Task<Void, Never>? = nil
  ) async throws(ImageError) {
    let request = load.request
    guard request.changesEntries else { return }
    let application = load.cache.writes.track { [configuration] in
      try? await encoded?.waitForWriting()
      await variantWrite?.value
      await configuration.applyStoreOptions(of: request)
    }
    if request.resolved.waitsForStore { try await application.waitUnlessCancelled() }
  }

  /// Starts storing the original bytes, unless the storage policy stores only the processed image.
  func storeOriginalIfWanted(_ encoded: EncodedImage, _ load: Load, _ placeholder: ThumbHash?) async {
    if load.request.storesOriginal { await storeOriginal(encoded, load, placeholder) }
  }

  /// Starts storing the original bytes in the background. A store that fails does not fail the load.
  @inline(never)
  func storeOriginal(_ encoded: EncodedImage, _ load: Load, _ placeholder: ThumbHash?) async {
    guard var storable = encoded.storable, let cache = configuration.httpCache(for: load.request) else { return }
    (storable.metadata.placeholder, storable.metadata.original) = (placeholder, encoded.mark)
    let writes = load.cache.writes
    await encoded.startWriting { [monitor, storable] in
      // Holds the bytes until they are written, so that other loads find them in flight.
      await writes.start(byteCount: encoded.data.count) {
        await encoded.waitForReplacing()
        if encoded.isRemovedOrReplaced { return }
        do {
          try await cache.store(storable, body: encoded.data)
        } catch {
          return encoded.markFailed(error)
        }
        encoded.endSharing()
        monitor?.report(.stored(.store, byteCount: encoded.data.count))
      }
    }
  }
}
