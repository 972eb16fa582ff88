import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// Processors: each one runs on the image before it, which may be in memory or be loaded for several requests.
extension ImageLoader {
  /// Runs the last processor on the image before it, which is shared with loads of that image.
  func process(
    _ request: ImageRequest, with processor: any ImageProcessor, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    var earlier = request
    earlier.processors.removeLast()
    let keys = RequestKeys(earlier)
    let lookup = lookUpIntermediate(earlier, keys)
    var loaded: Loaded
    if case .hit(let image)? = lookup, !storesVariant(of: request) {
      loaded = Loaded(image: image, encoded: nil, trace: LoadTrace())
    } else {
      loaded = try await load(earlier, keys: keys, stale: lookup?.image, subscription, keepsResult: false)
    }
    try await apply(processor, to: &loaded, request, subscription)
    return loaded
  }

  /// Runs a processor on an image.
  func apply(
    _ processor: any ImageProcessor, to loaded: inout Loaded, _ request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) {
    let processor = try await bound(processor, to: &loaded, request, subscription)
    let start = ContinuousClock.now
    let image = loaded.image
    do {
      let bitmap = try await workers.run(for: subscription) { flag in
        try flag.asCurrent { try processor.process(image.bitmap) }
      }
      loaded.image = request.processesFrames ? image.replacing(bitmap, by: processor) : image.replacing(bitmap)
    } catch {
      throw ImageError(processing: error, by: processor)
    }
    loaded.trace.add(.process, since: start)
    configuration.report(.processed(identifier: processor.identifier), to: subscription)
  }

  /// The processor with the context of an image, if it needs one.
  @inline(never)
  private func bound(
    _ processor: any ImageProcessor, to loaded: inout Loaded, _ request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> any ImageProcessor {
    guard let processor = processor as? any ContextualImageProcessor else { return processor }
    // Memory has no responses.
    if loaded.encoded == nil, loaded.image.facts.freshness != nil {
      do throws(ImageError) {
        loaded.encoded = try await bytes.encodedImage(
          for: request, key: RequestKeys.fetch(request), subscription: subscription)
      } catch {
        guard case .notCached = error else { throw error }
      }
    }
    return processor.bound(
      to: ImageProcessingContext(
        request: request, response: loaded.encoded?.responseHead, info: loaded.image.info,
        isComplete: !loaded.image.isPartial))
  }

  /// The image before a processor, if memory has it: a fresh one is processed, the pixels of a stale one are used again
  /// if its bytes are still valid. Counts no miss.
  private func lookUpIntermediate(_ request: ImageRequest, _ keys: RequestKeys) -> MemoryLookup? {
    let memory = configuration.cache(for: request).memory
    guard request.readsMemory, memory.contains(keys.image), let image = memory.image(for: keys.image) else {
      return nil
    }
    return checked(image, request)
  }

  /// Whether the image is also stored as the storage policy says, which needs the metadata of the bytes.
  private func storesVariant(of request: ImageRequest) -> Bool {
    request.storagePolicy.encodesImages && request.writesStore && request.freshness.usesNetwork
  }
}
