import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// Processors: each one runs on the image before it, which may be in memory or be loaded for several requests.
extension ImageLoader {
  /// Runs the last processor on the image before it, which is shared with loads of that image.
  func process(_ load: Load, with processor: any ImageProcessor) async throws(ImageError) -> Loaded {
    var earlier = load.request
    earlier.processors.removeLast()
    let keys = RequestKeys(earlier)
    let memory = lookUpIntermediate(earlier, keys.image)
    var loaded: Loaded
    if case .hit(let image)? = memory, !storesVariant(of: load.request) {
      loaded = Loaded(image: image)
    } else {
      let stale = memory?.image.map { MemoryLookup.stale($0) }
      let before = newLoad(earlier, keys, after: stale ?? .miss(.notRead), for: load.subscription)
      loaded = try await self.load(before, keepsResult: false)
    }
    try await apply(processor, to: &loaded, load)
    return loaded
  }

  /// Runs a processor on an image.
  private func apply(
    _ processor: any ImageProcessor, to loaded: inout Loaded, _ load: Load
  ) async throws(ImageError) {
    let processor = try await bound(processor, to: &loaded, load)
    let start = ContinuousClock.now
    let image = loaded.image
    do {
      let bitmap = try await workers.run(for: load) { flag in
        try flag.asCurrent { try processor.process(image.bitmap) }
      }
      loaded.image = load.request.processesFrames ? image.replacing(bitmap, by: processor) : image.replacing(bitmap)
    } catch {
      throw ImageError(processing: error, by: processor)
    }
    loaded.trace.add(.process, since: start)
    load.report(.processed(identifier: processor.identifier))
  }

  /// The processor with the context of an image, if it needs one.
  private func bound(
    _ processor: any ImageProcessor, to loaded: inout Loaded, _ load: Load
  ) async throws(ImageError) -> any ImageProcessor {
    guard processor is any ContextualImageProcessor else { return processor }
    // Memory has no responses.
    if loaded.encoded == nil, loaded.image.facts.freshness != nil {
      do throws(ImageError) {
        loaded.encoded = try await bytes.encodedImage(for: load)
      } catch {
        guard case .notCached = error else { throw error }
      }
    }
    return processor.bound(
      to: ImageProcessingContext(
        request: load.request, response: loaded.encoded?.responseHead, info: loaded.image.info,
        isComplete: !loaded.image.isPartial))
  }

  /// Whether the image is also stored as the storage policy says, which needs the metadata of the bytes.
  private func storesVariant(of request: ImageRequest) -> Bool {
    request.encodesImages && request.writesStore && request.freshness.usesNetwork
  }
}
