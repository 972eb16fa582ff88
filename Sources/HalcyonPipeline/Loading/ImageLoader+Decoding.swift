import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// Decoding: images decoded by other loads meanwhile, damaged bytes fetched again, and placeholders.
extension ImageLoader {
  /// Decodes bytes; stored bytes that are damaged are fetched again, once.
  func decode(_ encoded: EncodedImage, _ load: Load) async throws(ImageError) -> Loaded {
    if encoded.origin == .store, let image = await decodedMeanwhile(from: encoded, load) {
      return Loaded(image: image, encoded: encoded, trace: encoded.trace)
    }
    do throws(ImageError) {
      return try await decodeOnce(encoded, load)
    } catch {
      return try await decodeOnce(try await fetchAgain(encoded, after: error, load), load)
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
    image.facts.freshness = SourceFreshness(end: end, version: version)
    return image
  }

  /// Bytes from the network, in place of stored bytes that could be decoded once and are damaged now.
  ///
  /// - Throws: Rethrows `error` unless stored bytes failed to decode.
  func fetchAgain(
    _ encoded: EncodedImage, after error: ImageError, _ load: Load
  ) async throws(ImageError) -> EncodedImage {
    if case .decoding(let reason, _) = error, reason != .cancelled { encoded.endSharing() }
    if encoded.origin == .network {
      bytes.http.remember(error, for: load.request.failureKey(load.keys.fetch), after: encoded.metadata.redirects)
    }
    guard encoded.origin == .store, case .decoding(let reason, _) = error, reason != .cancelled,
      load.request.freshness.usesNetwork
    else { throw error }
    let retry = load.changed { $0.storeAccess = ($0.storeAccess ?? .readWrite).withoutReads }
    return try await bytes.encodedImage(for: retry)
  }

  /// Decodes at the requested size, and stores the bytes, now that they are known to be an image.
  func decodeOnce(_ encoded: EncodedImage, _ load: Load) async throws(ImageError) -> Loaded {
    let start = ContinuousClock.now
    let image: DecodedImage
    let placeholder: ThumbHash?
    do {
      let decoder = try configuration.decoders(for: load.request).decoder(for: encoded.info.format)
      (image, placeholder) = try await workers.run(for: load) { [self] flag in
        try flag.asCurrent { try decodeNow(encoded, load.request, by: decoder, flag) }
      }
    } catch {
      throw ImageError(decoding: error, encoded)
    }
    var trace = encoded.trace
    trace.add(.decode, since: start)
    load.report(.decoded(image.size))
    if !image.isPartial { replaceEarlier(by: encoded, load) }
    remember(placeholder, of: encoded, load)
    if !image.isPartial { await storeOriginalIfWanted(encoded, load, placeholder) }
    return Loaded(image: image, encoded: encoded, trace: trace)
  }

  /// An image and its placeholder, decoded on the calling thread.
  func decodeNow(
    _ encoded: EncodedImage, _ request: ImageRequest, by decoder: any ImageDecoder, _ flag: CancellationFlag
  ) throws -> (DecodedImage, ThumbHash?) {
    let options = decodingOptions(request, flag)
    var image = try encoded.decoded(for: request) ?? decoder.image(from: encoded.data, options: options)
    if image.bitmap.colorSpace != .sRGB || request.targetColorSpace == .displayP3 {
      image.bitmap = try image.bitmap.converted(for: request.targetColorSpace)
    }
    image.facts.freshness = encoded.freshEnd.map { SourceFreshness(end: $0, version: encoded.version) }
    return (image, placeholder(for: image, of: encoded, request))
  }

  func decodingOptions(_ request: ImageRequest, _ flag: CancellationFlag) -> DecodingOptions {
    DecodingOptions(
      size: request.targetSize, limits: configuration.limits, allowsPartialImage: request.acceptsPartialImage,
      keepsAnimation: !request.loadsFirstFrame, colorSpace: request.targetColorSpace
    ) { flag.isCancelled }
  }

  /// Keeps the placeholder of an image for views.
  func remember(_ placeholder: ThumbHash?, of encoded: EncodedImage, _ load: Load) {
    guard let known = placeholder ?? encoded.metadata.placeholder, !encoded.watch.isRemovedFromStore,
      !encoded.isReplaced
    else { return }
    load.cache.placeholders.insert(known, for: load.keys.fetch)
  }

  /// The placeholder stored with the original bytes; `nil` if they are not stored, if the image was cropped or stretched,
  /// or if the request has a decoder of its own, which may change the pixels.
  private func placeholder(for image: DecodedImage, of encoded: EncodedImage, _ request: ImageRequest) -> ThumbHash? {
    guard configuration.makesPlaceholders, encoded.storable != nil, !image.isPartial else { return nil }
    guard request.optionsBox?.options.decoderHook == nil else { return nil }
    switch request.targetSize {
    case .original, .fit: return ThumbHash(image.bitmap)
    case .fill, .exact: return nil
    }
  }
}

extension ImageError {
  /// The error of a decoder; for the body of an error status, the error of a body that is not an image.
  init(decoding error: any Error, _ encoded: EncodedImage) {
    self.init(decoding: error, url: encoded.sourceURL)
    if case .cancelled = self { return }
    if encoded.isOfErrorStatus, encoded.origin == .network {
      self = .httpStatus(encoded.metadata.status, url: encoded.sourceURL)
    }
  }
}

extension WorkerPool {
  /// Runs `work` with the priority of a load, which may change while the work waits.
  func run<Value: Sendable>(
    for load: Load, _ work: @escaping @Sendable (CancellationFlag) throws -> Value
  ) async throws -> Value {
    let (id, subscription) = (newWork(), load.subscription)
    let observer = subscription.observePriority { self.setPriority(subscription.priority, of: id) }
    defer { subscription.stopObserving(observer) }
    return try await run(id, priority: { subscription.priority }, work)
  }
}
