import HalcyonCache
@_spi(Programs) import HalcyonImaging
import HalcyonSupport

/// The part of rendering that depends on loads: images that other loads have decoded, damaged bytes that are fetched
/// again, images before processors, and placeholders. The ``Renderer`` does the work.
extension ImageLoader {
  /// Decodes bytes; stored bytes that may be damaged are fetched again, once.
  func decode(_ encoded: EncodedImage, _ load: Load) async throws(ImageError) -> LoadedImage {
    if encoded.origin == .store, let image = await decodedMeanwhile(from: encoded, load) {
      return LoadedImage(image: image, encoded: encoded, trace: encoded.trace)
    }
    return try await fetchingAgain(encoded, load, as: load.key) { [self] encoded throws(ImageError) in
      try await decodeOnce(encoded, load)
    }
  }

  /// The image that another load decoded from the same stored bytes while they were revalidated, as for a view that
  /// shows the stale image meanwhile. Counts no miss.
  private func decodedMeanwhile(from encoded: EncodedImage, _ load: Load) async -> DecodedImage? {
    guard let image = imageInMemory(load.request, load.keys.image) else { return nil }
    return await renewedImage(image, by: encoded, load)
  }

  /// An image with the freshness of `encoded`; `nil` if it was decoded from other bytes.
  func renewedImage(_ image: DecodedImage, by encoded: EncodedImage, _ load: Load) async -> DecodedImage? {
    guard let known = image.facts.freshness, let end = encoded.freshEnd,
      let version = try? await workers.run(for: load, { _ in encoded.version }), version == known.version
    else { return nil }
    var image = image
    image.facts.freshness = SourceFreshness(end: end, version: version, byteCount: encoded.data.count)
    return image
  }

  /// Renders bytes; if that fails and they are stored ones that may be damaged, once more with bytes from the network.
  func fetchingAgain<Value>(
    _ encoded: EncodedImage, _ load: Load, as result: @autoclosure () -> CacheKey,
    _ render: (EncodedImage) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    do throws(ImageError) {
      let value = try await render(encoded)
      if load.ignoresRememberedFailures { bytes.http.failedResults.forget(load.request.failureKey(result())) }
      return value
    } catch {
      endSharing(encoded, after: error, load, result())
      guard encoded.origin == .store, error.isDamage, load.resolved.cachePolicy.usesNetwork else { throw error }
    }
    let retry = load.changed { $0.storeAccess = ($0.storeAccess ?? .readWrite).withoutReads }
    let fetched = try await bytes.encodedImage(for: retry)
    do throws(ImageError) {
      return try await render(fetched)
    } catch {
      endSharing(fetched, after: error, load, result())
      throw error
    }
  }

  /// Leaves bytes that were not decoded to the loads that use them. Those from the network are not requested again for a
  /// while for the same result; another one may succeed.
  private func endSharing(_ encoded: EncodedImage, after error: ImageError, _ load: Load, _ result: CacheKey) {
    if case .decoding(let reason, _) = error, reason != .cancelled { encoded.endSharing() }
    if encoded.origin == .network {
      bytes.http.remember(
        error, for: load.request.failureKey(result), after: encoded.metadata.redirects, encoded.responseHead,
        in: bytes.http.failedResults)
    }
  }

  /// Throws the error of a result that could not be made a moment ago.
  func checkFailure(of load: Load, as result: @autoclosure () -> CacheKey) throws(ImageError) {
    if load.ignoresRememberedFailures { return }
    if let error = bytes.http.failedResults.error(for: load.request.failureKey(result())) { throw error }
  }

  /// Decodes at the requested size, and stores the bytes, now that they are known to be an image.
  func decodeOnce(_ encoded: EncodedImage, _ load: Load) async throws(ImageError) -> LoadedImage {
    let start = ContinuousClock.now
    let size = load.resolved.size(of: encoded.info, within: configuration.limits)
    let rendered = try await render(
      encoded, load.request.completed(Rendition(size: size, region: load.request.region)), load)
    guard let image = rendered.image else { throw .notCached(key: load.keys.fetch.sourceText) }
    var trace = encoded.trace
    trace.add(.decode, since: start)
    await finishRendering(rendered, encoded, load)
    return LoadedImage(image: image, encoded: encoded, trace: trace)
  }

  /// Renders a file on a worker, with its freshness.
  func render(
    _ encoded: EncodedImage, _ rendition: Rendition, _ load: Load
  ) async throws(ImageError) -> Rendered {
    do {
      let file = try file(encoded, load.request)
      let makesPlaceholder = makesPlaceholder(of: encoded, load.request)
      return try await workers.run(for: load) { [renderer] flag in
        try flag.asCurrent {
          var rendered = try renderer.rendered(file, as: rendition, makesPlaceholder: makesPlaceholder) {
            flag.isCancelled
          }
          // Only the region has been decoded.
          if rendition.region != nil, encoded.info.format.lacksEnd(encoded.data) { rendered.isPartial = true }
          rendered.image?.facts.freshness = encoded.freshEnd.map {
            SourceFreshness(end: $0, version: encoded.version, byteCount: encoded.data.count)
          }
          return rendered
        }
      }
    } catch {
      throw ImageError(rendering: error, encoded)
    }
  }

  /// After rendering the bytes are known to be an image: they replace earlier ones, and are stored.
  func finishRendering(_ rendered: Rendered, _ encoded: EncodedImage, _ load: Load) async {
    load.report(.decoded(rendered.decodedSize))
    if !rendered.isPartial { replaceEarlier(by: encoded, load) }
    remember(rendered.placeholder, of: encoded, load)
    if !rendered.isPartial { await storeOriginalIfWanted(encoded, load, rendered.placeholder) }
  }

  /// The bytes, with the decoder of their format.
  func file(_ encoded: EncodedImage, _ request: ImageRequest) throws(ImageDecodingError) -> Renderer.File {
    Renderer.File(
      encoded.data, by: try configuration.decoders(for: request).decoder(for: encoded.info.format),
      image: encoded.decoded(for: request, within: configuration.limits))
  }

  /// Whether the placeholder is stored with the original bytes: not if these are not stored, or if the request has a decoder
  /// of its own, which may change the pixels.
  private func makesPlaceholder(of encoded: EncodedImage, _ request: ImageRequest) -> Bool {
    configuration.makesPlaceholders && encoded.storable != nil && request.optionsBox?.options.decoderHook == nil
  }

  /// Keeps the placeholder of an image for views.
  func remember(_ placeholder: ThumbHash?, of encoded: EncodedImage, _ load: Load) {
    guard let known = placeholder ?? encoded.metadata.placeholder, !encoded.isRemovedOrReplaced else { return }
    load.cache.placeholders.insert(known, for: load.keys.fetch)
  }
}

extension ImageError {
  /// Whether the bytes are a damaged image, or one that ends too early.
  var isDamage: Bool { if case .decoding(let reason, _) = self { reason.isDamage } else { false } }
}

/// Processors: each one runs on the image before it, which may be in memory or be loaded for several requests.
extension ImageLoader {
  /// Runs the last processor on the image before it, which is shared with loads of that image.
  func process(_ load: Load, with processor: any ImageProcessor) async throws(ImageError) -> LoadedImage {
    var earlier = load.request
    // For a processor that accepts only bytes, the image is decoded to bytes from the start.
    if earlier.dynamicRange == .high, earlier.resolved.dynamicRange == .standard { earlier.dynamicRange = .standard }
    earlier.processors.removeLast()
    let keys = RequestKeys(earlier)
    let memory = lookUpAgain(earlier, keys.image)
    var loaded: LoadedImage
    if case .hit(let image)? = memory, !storesVariant(of: load.request) {
      loaded = LoadedImage(image: image)
    } else {
      let stale = memory?.image.map { MemoryLookup.stale($0) }
      let before = newLoad(earlier, keys, after: stale ?? .miss(.notRead), for: load.subscription)
      loaded = try await self.load(before, keepsResult: false)
    }
    if processor is any ContextualImageProcessor { try await findResponse(of: &loaded, load) }
    try await apply(processor, to: &loaded, load)
    return loaded
  }

  /// Runs a processor on an image.
  private func apply(
    _ processor: any ImageProcessor, to loaded: inout LoadedImage, _ load: Load
  ) async throws(ImageError) {
    let start = ContinuousClock.now
    let (image, request) = (loaded.image, load.request)
    let bound = request.bound([processor], to: loaded.encoded?.responseHead)
    do {
      loaded.image = try await workers.run(for: load) { [renderer] flag in
        try flag.asCurrent {
          try renderer.processed(image, by: bound, keepsAnimation: request.processesFrames)
        }
      }
    } catch {
      throw ImageError(rendering: error, url: load.keys.fetch.sourceURL)
    }
    loaded.trace.add(.process, since: start)
    load.report(.processed(identifier: processor.identifier))
  }

  /// Finds the response of an image from memory, which has none.
  private func findResponse(of loaded: inout LoadedImage, _ load: Load) async throws(ImageError) {
    guard loaded.encoded == nil, loaded.image.facts.freshness != nil else { return }
    do throws(ImageError) {
      loaded.encoded = try await bytes.encodedImage(for: load)
    } catch {
      guard case .notCached = error else { throw error }
    }
  }

  /// Whether the image is also stored as the storage policy says, which needs the metadata of the bytes.
  private func storesVariant(of request: ImageRequest) -> Bool {
    request.encodesImages && request.resolved.storeAccess.writes && request.resolved.cachePolicy.usesNetwork
  }
}
