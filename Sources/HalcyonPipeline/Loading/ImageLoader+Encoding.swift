import Foundation
import HalcyonCache
@_spi(Programs) import HalcyonImaging
import HalcyonSupport

/// An image encoded as the storage policy of a request says.
struct EncodedVariant: Sendable {
  let data: Data
  /// The bytes that it was made from, or the stored file itself.
  let source: EncodedImage
  /// Whether the file was in the store, so that nothing was decoded and encoded.
  var wasStored = false
  /// The steps of making the file.
  var trace = LoadTrace()
}

extension EncodedVariant: LoadResult {
  var lastEvent: PipelineEvent.Kind { .finished(source.origin, source.trace.adding(trace)) }
}

/// Loads of encoded images: thumbnails that a server sends, files for other programs.
extension ImageLoader {
  /// The image of a request in the form of its storage policy: from the store, or encoded and then stored.
  ///
  /// - Parameter planner: Decides on size, processors and form once the bytes are known; `nil` uses the request's.
  func encodedVariant(
    for request: ImageRequest, planner: EncodingPlanner? = nil
  ) async throws(ImageError) -> EncodedVariant {
    let subscription = LoadSubscription(priority: request.resolved.priority)
    return try await around(newLoad(request, for: subscription)) { [self] load throws(ImageError) in
      let key =
        planner.map { load.keys.image.adding("plan", $0.identifier) }
        ?? load.keys.variant(load.resolved.storage) ?? load.keys.image
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
    let known = await storedForm(load, key: load.key)
    if let known, known.isServed, !load.resolved.cachePolicy.contactsServerFirst {
      try await applyStoreOptions(load, after: known.image)
      return EncodedVariant(data: known.image.data, source: known.image, wasStored: true)
    }
    if let planner { return try await plannedVariant(load, planner, known: known?.image) }
    let loaded = try await self.load(load, keepsResult: false)
    // An image that was not read from memory was made from bytes.
    guard let encoded = loaded.encoded else { throw .notCached(key: load.keys.fetch.sourceText) }
    let data = try await encodedData(
      of: loaded.image, load.request, original: encoded, priority: load.subscription.priority)
    return try await stored(data, isPartial: loaded.image.isPartial, encoded, load)
  }

  /// Starts storing a file that was made of `encoded`.
  ///
  /// - Parameter data: `nil` for `encoded` as it is.
  private func stored(
    _ data: Data?, isPartial: Bool, _ encoded: EncodedImage, _ load: Load, _ trace: LoadTrace = LoadTrace()
  ) async throws(ImageError) -> EncodedVariant {
    guard let data else { return EncodedVariant(data: encoded.data, source: encoded) }
    if !isPartial {
      await startStoring(data, of: encoded, load)
      try await applyStoreOptions(load, after: encoded)
    }
    return EncodedVariant(data: data, source: encoded, trace: trace)
  }
}

/// Decides what is made of a file, and identifies the decision in cache keys.
struct EncodingPlanner: Sendable {
  let identifier: String
  /// How the file is got that something has to be made of; `nil` is the policy of the request.
  var sourcePolicy: CachePolicy?
  /// The most bytes of a file that something is made of; `nil` is the limit of the pipeline.
  var sourceByteLimit: Int?
  /// `nil` leaves the file as it is.
  let plan: @Sendable (ImageInfo) throws -> Rendition?
}

/// Images whose size and form depend on the properties of their files.
extension ImageLoader {
  /// - Parameter known: What was made of the file before.
  private func plannedVariant(
    _ load: Load, _ planner: EncodingPlanner, known: EncodedImage?
  ) async throws(ImageError) -> EncodedVariant {
    let source = load.changed { $0.cachePolicy = planner.sourcePolicy ?? $0.cachePolicy }
    try checkFailure(of: source, as: load.key)
    let encoded = try await self.source(source)
    if let known, known.mark.hash == encoded.mark.hash {
      // The server has confirmed the file, so that this is what would be made of it again.
      try await storeFetched(encoded, load)
      if let end = encoded.freshEnd, end > configuration.time.uptime() {
        await startStoring(known.data, of: encoded, load)
      }
      return EncodedVariant(data: known.data, source: encoded, wasStored: true)
    }
    let plan = try plan(planner, encoded)
    return try await fetchingAgain(encoded, source, as: load.key) { [self] encoded throws(ImageError) in
      if let plan { return try await make(plan, of: encoded, load) }
      try await storeFetched(encoded, load)
      return EncodedVariant(data: encoded.data, source: encoded, wasStored: encoded.origin == .store)
    }
  }

  /// The file to make something of.
  ///
  /// - Throws: With a policy that contacts the server first, also the error of a server that has not confirmed a stored
  ///   file: what is made of it would be taken for new.
  private func source(_ load: Load) async throws(ImageError) -> EncodedImage {
    let start = configuration.time.now()
    let encoded = try await bytes.encodedImage(for: load)
    guard load.resolved.cachePolicy.contactsServerFirst, encoded.origin == .store, encoded.metadata.responseDate < start
    else {
      return encoded
    }
    return try await bytes.encodedImage(for: load.changed { $0.cachePolicy = .reload })
  }

  /// Renders a file in one piece of work, so that no bitmap waits for a thread, once there is memory for it, and starts
  /// storing the result.
  private func make(
    _ plan: Rendition, of encoded: EncodedImage, _ load: Load
  ) async throws(ImageError) -> EncodedVariant {
    let load = load.changed { $0.storage?.encoding = plan.encoding }
    let rendition = load.request.completed(plan, of: encoded.responseHead)
    let start = ContinuousClock.now
    let rendered: Rendered
    do {
      let file = try file(encoded, load.request)
      let byteCount = rendition.byteCount(of: file, encoded.info)
      try await configuration.encodingBudget.reserve(byteCount)
      defer { configuration.encodingBudget.release(byteCount) }
      rendered = try await render(encoded, rendition, load)
    } catch {
      throw ImageError(rendering: error, encoded)
    }
    // Encoders that cannot be cancelled end later; nothing is stored after a cancellation.
    if Task.isCancelled { throw .cancelled }
    for processor in plan.processors { load.report(.processed(identifier: processor.identifier)) }
    await finishRendering(rendered, encoded, load)
    return try await stored(
      rendered.data, isPartial: rendered.isPartial, encoded, load, LoadTrace(of: rendered, since: start))
  }

  private func plan(_ planner: EncodingPlanner, _ encoded: EncodedImage) throws(ImageError) -> Rendition? {
    if let limit = planner.sourceByteLimit, encoded.data.count > limit {
      throw .responseTooLarge(byteLimit: limit, url: encoded.sourceURL)
    }
    do {
      guard let plan = try planner.plan(encoded.info) else { return nil }
      guard plan.size.isValid else { throw ImageError.invalidTargetSize(plan.size, url: encoded.sourceURL) }
      return plan
    } catch let error as ImageError {
      throw error
    } catch {
      throw .failed(cause: error, url: encoded.sourceURL)
    }
  }
}
