import Foundation
import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// An image encoded as the storage policy of a request says.
struct EncodedVariant: Sendable {
  let data: Data
  /// The bytes that it was made from, or the stored file itself.
  let source: EncodedImage
  /// Whether the file was in the store, so that nothing was decoded and encoded.
  let wasStored: Bool

  init(_ data: Data, of source: EncodedImage, wasStored: Bool = false) {
    self.data = data
    self.source = source
    self.wasStored = wasStored
  }
}

extension EncodedVariant: LoadResult {
  var lastEvent: PipelineEvent.Kind { .finished(source.origin, LoadTrace()) }
  var shownImage: DecodedImage? { nil }
}

/// Loads of encoded images: thumbnails that a server sends, files for other programs.
extension ImageLoader {
  /// The image of a request in the form of its storage policy: from the store, or encoded and then stored.
  ///
  /// - Parameter planner: Decides on size, processors and form once the bytes are known; `nil` uses the request's.
  func encodedVariant(
    for request: ImageRequest, planner: EncodingPlanner? = nil
  ) async throws(ImageError) -> EncodedVariant {
    let subscription = LoadSubscription(priority: request.loadPriority)
    return try await around(newLoad(request, for: subscription)) { [self] load throws(ImageError) in
      let key =
        planner.map { load.keys.image.adding("plan", $0.identifier) }
        ?? load.keys.variant(load.request.storagePolicy) ?? load.keys.image
      let watch = RemovalWatch(key, in: load.cache)
      return try await encodings.value(
        for: JobKey(key, load.request, after: watch.removals), subscription: load.subscription, keepsResult: true,
        writes: bytes.partialWrites(of: load)
      ) { [self] subscription throws(ImageError) in
        try await variant(load.shared(by: subscription, for: watch), planner)
      }
    }
  }

  private func variant(_ load: Load, _ planner: EncodingPlanner?) async throws(ImageError) -> EncodedVariant {
    if let stored = await storedBytes(load, key: load.key) {
      try await applyStoreOptions(load, after: stored)
      return EncodedVariant(stored.data, of: stored, wasStored: true)
    }
    if let planner { return try await plannedVariant(load, planner) }
    let loaded = try await self.load(load, keepsResult: false)
    // An image that was not read from memory was made from bytes.
    guard let encoded = loaded.encoded else { throw .notCached(key: load.keys.fetch.sourceText) }
    return try await encode(loaded.image, encoded, load)
  }

  /// Encodes an image, and starts storing it.
  private func encode(
    _ image: DecodedImage, _ encoded: EncodedImage, _ load: Load
  ) async throws(ImageError) -> EncodedVariant {
    let data: Data?
    do {
      data = try await encodedData(
        of: image, load.request, original: encoded.data, priority: load.subscription.priority)
    } catch {
      throw ImageError(encoding: error, url: encoded.sourceURL)
    }
    guard let data else { return EncodedVariant(encoded.data, of: encoded) }
    if !image.isPartial {
      await startStoring(data, of: encoded, load)
      try await applyStoreOptions(load, after: encoded)
    }
    return EncodedVariant(data, of: encoded)
  }
}

/// Images whose size and form depend on the properties of their files.
extension ImageLoader {
  private func plannedVariant(_ load: Load, _ planner: EncodingPlanner) async throws(ImageError) -> EncodedVariant {
    let encoded = try await bytes.encodedImage(for: load)
    guard let plan = try plan(planner, encoded) else {
      try await storeFetched(encoded, load)
      return EncodedVariant(encoded.data, of: encoded, wasStored: encoded.origin == .store)
    }
    do throws(ImageError) {
      return try await make(plan, of: encoded, load)
    } catch {
      return try await make(plan, of: try await fetchAgain(encoded, after: error, load), load)
    }
  }

  /// The result of making an image in one piece of work.
  struct Made: Sendable {
    let data: Data
    let placeholder: ThumbHash?
    let decodedSize: PixelSize
    let isPartial: Bool
  }

  /// Decodes, processes and encodes an image once there is memory for it, and starts storing it.
  private func make(
    _ plan: EncodingPlan, of encoded: EncodedImage, _ load: Load
  ) async throws(ImageError) -> EncodedVariant {
    let load = load.changed { $0 = plan.applied(to: $0) }
    let made: Made
    do {
      let decoder = try configuration.decoders(for: load.request).decoder(for: encoded.info.format)
      let byteCount = plan.byteCount(for: encoded, decoder)
      try await configuration.encodingBudget.reserve(byteCount)
      defer { configuration.encodingBudget.release(byteCount) }
      // One piece of work: no bitmap waits for a thread.
      made = try await workers.run(for: load) { [self] flag in
        try flag.asCurrent {
          try sanitizedNow(encoded, plan, by: decoder)
            ?? makeAnimationNow(encoded, load.request, by: decoder, frameLimit: plan.frameLimit, flag)
            ?? makeNow(encoded, load.request, by: decoder, flag)
        }
      }
    } catch let error as ImageError {
      throw error
    } catch {
      throw ImageError(decoding: error, encoded)
    }
    // Encoders that cannot be cancelled end later; nothing is stored after a cancellation.
    if Task.isCancelled { throw .cancelled }
    load.report(.decoded(made.decodedSize))
    for processor in plan.processors { load.report(.processed(identifier: processor.identifier)) }
    if !made.isPartial { replaceEarlier(by: encoded, load) }
    remember(made.placeholder, of: encoded, load)
    if !made.isPartial {
      await storeOriginalIfWanted(encoded, load, made.placeholder)
      await startStoring(made.data, of: encoded, load)
      try await applyStoreOptions(load, after: encoded)
    }
    return EncodedVariant(made.data, of: encoded)
  }

  /// A document without anything that runs code, sanitised on the calling thread; `nil` if the plan draws it.
  private func sanitizedNow(
    _ encoded: EncodedImage, _ plan: EncodingPlan, by decoder: any ImageDecoder
  ) throws -> Made? {
    guard plan.format == encoded.info.format, let decoder = decoder as? any SanitizingDecoder else { return nil }
    return Made(
      data: try decoder.sanitized(encoded.data), placeholder: nil, decodedSize: encoded.info.pixelSize, isPartial: false
    )
  }

  /// Decodes, processes and encodes an image on the calling thread.
  private func makeNow(
    _ encoded: EncodedImage, _ request: ImageRequest, by decoder: any ImageDecoder, _ flag: CancellationFlag
  ) throws -> Made {
    var (image, placeholder) = try decodeNow(encoded, request, by: decoder, flag)
    let decodedSize = image.bitmap.size
    for processor in request.processors {
      let bound = processor.bound(
        to: ImageProcessingContext(
          request: request, response: encoded.responseHead, info: image.info, isComplete: !image.isPartial))
      image = image.replacing(try bound.processed(image.bitmap))
    }
    do {
      try CancellationFlag.checkCurrent()
      let data = try request.storagePolicy.encoded(
        image, by: configuration.encoders, original: encoded.data, decoders: configuration.decoders(for: request))
      return Made(
        data: data ?? encoded.data, placeholder: placeholder, decodedSize: decodedSize, isPartial: image.isPartial)
    } catch {
      throw ImageError(encoding: error, url: encoded.sourceURL)
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
      throw .failed(cause: error, url: encoded.sourceURL)
    }
  }
}

extension ImageProcessor {
  /// The processed bitmap, unless the work of this thread is cancelled.
  func processed(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
    do {
      try CancellationFlag.checkCurrent()
      return try process(bitmap)
    } catch {
      throw ImageError(processing: error, by: self)
    }
  }
}

extension EncodingPlan {
  /// An estimate of the memory that an image takes until it is encoded.
  fileprivate func byteCount(for encoded: EncodedImage, _ decoder: any ImageDecoder) -> Int {
    // The elements of a document that is sanitised.
    if decoder is any SanitizingDecoder, format == encoded.info.format { return encoded.data.count * 16 }
    let mayBeProgressive = [.jpeg, .png].contains(encoded.info.format)
    let isProgressive = mayBeProgressive && (try? decoder.metadata(of: encoded.data).isProgressive) == true
    let output = size.geometry(for: encoded.info.pixelSize).outputSize
    // The canvases of an encoder of animations.
    let canvases = frameLimit > 1 && encoded.info.frameCount > 1 ? Double(output.width) * Double(output.height) * 24 : 0
    return encoded.info.decodingByteCount(outputSize: output, isProgressive: isProgressive)
      + min(max(processingByteCount, 0), .max / 8) + Int(min(canvases, Double(Int.max / 8)))
  }
}
