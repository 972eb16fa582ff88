import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// A load from beginning to end. Equal loads share one job.
///
/// 1. ``lookUpMemory(_:key:)``: the image in memory, without suspending.
/// 2. Timeout, alternatives, stale image first and low data mode, if the request has any (`ImageLoader+Fallback.swift`).
/// 3. ``load(_:keys:stale:_:keepsResult:)``: the steps of a job.
///    - A stale image in memory is revalidated. If its bytes have not changed, it is fresh again without decoding.
///    - The processed image in the store, if the storage policy stores it.
///    - The image before the last processor, which is a load of its own, and then the processor.
///    - Without processors: the encoded bytes from the store or the network (``CachingLoader``), decoded at the
///      requested size.
/// 4. The image is put into memory, and its bytes into the store, which delays no caller.
///
/// Functions that do not wait are `@inline(never)`, and rare cases are functions: both keep locals out of the async frame
/// of a load that waits. Processors are in `ImageLoader+Processing.swift`.
final class ImageLoader: Sendable {
  /// The result of a job.
  struct Loaded: Sendable {
    var image: DecodedImage
    /// The bytes that the image was made from; `nil` if it was made from an image in memory.
    var encoded: EncodedImage?
    var trace: LoadTrace
    /// The write of the processed image to the store, if it was started.
    var variantWrite: Task<Void, Never>?
    /// Whether the processed image came from the store.
    var isStoredVariant = false
  }

  struct JobKey: Hashable {
    let key: CacheKey
    let options: OptionsKey<LoadKey>
    let removals: RemovalWatch.Removals

    /// Requests that differ in their options alone are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  let configuration: PipelineConfiguration
  let bytes: CachingLoader
  /// `nil` without an event handler.
  let monitor: PipelineMonitor?
  let workers: WorkerPool
  /// Images that must not be stored, for views.
  let unstoredImages = ImagesInUse()
  private let jobs: InFlightJobs<JobKey, Loaded>
  /// Images that are encoded for callers.
  let encodings: InFlightJobs<JobKey, EncodedVariant>
  private let invalidated = Atomic(false)

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    bytes = CachingLoader(configuration: configuration)
    monitor = PipelineMonitor(configuration)
    workers = WorkerPool(name: "decoder", width: configuration.decodingThreads)
    jobs = InFlightJobs(configuration.eventHandler == nil ? nil : .image)
    encodings = InFlightJobs(configuration.eventHandler == nil ? nil : .image)
  }

  /// Jobs that have not ended.
  var activeCount: Int { jobs.count + bytes.activeCount }

  /// The sources of all jobs, URLs and keys.
  var activeSources: Set<String> {
    Set((jobs.keys + encodings.keys).map { $0.key.sourceText }).union(bytes.activeSources)
  }

  /// Cancels the loads whose source has this text, its URL or its key, at all sizes.
  func cancelLoads(of source: String) {
    jobs.cancel { $0.key.sourceText == source }
    encodings.cancel { $0.key.sourceText == source }
    bytes.cancelLoads(of: source)
  }

  /// Ends all loads, and lets the threads end. Idempotent.
  func invalidate() {
    invalidated.store(true)
    jobs.invalidate()
    encodings.invalidate()
    bytes.invalidate()
    workers.close()
    unstoredImages.removeAll()
  }

  /// Whether ``invalidate()`` was called.
  var isInvalidated: Bool { invalidated.load() }

  /// The image in memory, if the request may read it.
  func lookUpMemory(_ request: ImageRequest, key: CacheKey) -> MemoryLookup {
    guard request.readsMemory, !isInvalidated else { return .miss(.notRead) }
    switch configuration.cache(for: request).lookUpInMemory(key) {
    case .miss(let miss):
      guard request.loadsFirstFrame, let image = animatedImage(request) else { return .miss(miss) }
      return checked(image.still, request)
    case .hit(let image):
      return checked(image, request)
    }
  }

  func checked(_ image: DecodedImage, _ request: ImageRequest) -> MemoryLookup {
    let freshness = request.freshness
    if freshness.contactsServerFirst || freshness.followsHTTP && !isFresh(image) { return .stale(image) }
    if request.optionsBox != nil { applyStoreOptions(request) }
    return .hit(image)
  }

  /// The animation whose first frame is requested, without counting a miss.
  private func animatedImage(_ request: ImageRequest) -> DecodedImage? {
    var animated = request
    animated.animation = nil
    return imageInMemory(animated, RequestKeys(animated).image)
  }

  func isFresh(_ image: DecodedImage) -> Bool {
    image.facts.freshness.map { configuration.time.uptime() < $0.end } ?? true
  }

  /// Loads from the request's own source.
  @inline(never)
  func singleResponse(
    for request: ImageRequest, keys: RequestKeys, stale: DecodedImage? = nil, _ subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    try await response(
      from: try await load(request, keys: keys, stale: stale, subscription, keepsResult: true), request)
  }

  @inline(never)
  private func response(
    from loaded: Loaded, _ request: ImageRequest
  ) async throws(ImageError) -> ImageResponse {
    var loaded = loaded
    if request.waitsForWrite { try await loaded.waitForWriting() }
    if request.optionsBox != nil { try await applyStoreOptions(request, after: loaded.encoded, loaded.variantWrite) }
    return ImageResponse(
      image: loaded.image, origin: loaded.encoded?.origin ?? .memory, url: loaded.encoded?.metadata.url,
      encodedByteCount: loaded.encoded?.data.count,
      encodedData: request.optionsBox?.options.keepsEncodedData == true ? loaded.encoded?.data : nil,
      trace: loaded.trace)
  }

  func load(
    _ request: ImageRequest, keys: RequestKeys, stale: DecodedImage?, _ subscription: LoadSubscription,
    keepsResult: Bool
  ) async throws(ImageError) -> Loaded {
    if LoadChain.isEmpty {
      return try await job(request, keys: keys, stale: stale, subscription, keepsResult: keepsResult)
    }
    return try await LoadChain.waiting(for: bytes.link(keys.fetch)) { () async throws(ImageError) in
      try await job(request, keys: keys, stale: stale, subscription, keepsResult: keepsResult)
    }
  }

  @inline(never)
  private func job(
    _ request: ImageRequest, keys: RequestKeys, stale: DecodedImage?, _ subscription: LoadSubscription,
    keepsResult: Bool
  ) async throws(ImageError) -> Loaded {
    let watch = watch(keys.image, for: request)
    let operation = operation(request, keys: keys, stale: stale, keepsResult: keepsResult, watch)
    return try await jobs.value(
      for: JobKey(key: keys.image, options: LoadKey.key(request), removals: watch.removals), subscription: subscription,
      keepsResult: keepsResult, operation: operation)
  }

  /// Notices that the image of a request is removed.
  func watch(_ key: CacheKey, for request: ImageRequest) -> RemovalWatch {
    RemovalWatch(key, in: configuration.cache(for: request))
  }

  @inline(never)
  private func operation(
    _ request: ImageRequest, keys: RequestKeys, stale: DecodedImage?, keepsResult: Bool, _ watch: RemovalWatch
  ) -> InFlightJobs<JobKey, Loaded>.Operation {
    if stale == nil, request.processors.isEmpty, !request.storagePolicy.encodesImages {
      // Most images are only decoded: they wait in the smaller async frame of a closure of their own.
      return { [self] subscription throws(ImageError) in
        if let loaded = loadedMeanwhile(request, keys.image) { return loaded }
        return await keep(try await decode(request, key: keys.fetch, subscription), request, keys, subscription, watch)
      }
    }
    return { [self] subscription throws(ImageError) in
      if stale == nil, let loaded = loadedMeanwhile(request, keys.image) { return loaded }
      let loaded = try await image(request, keys: keys, stale: stale, subscription, keepsResult: keepsResult)
      return await keep(loaded, request, keys, subscription, watch)
    }
  }

  /// The image that an equal job put into memory between the look-up of this load and the start of its own job: once
  /// this one has started there is no other. Counts no miss.
  @inline(never)
  private func loadedMeanwhile(_ request: ImageRequest, _ key: CacheKey) -> Loaded? {
    guard let image = imageInMemory(request, key), !request.freshness.contactsServerFirst,
      !request.freshness.followsHTTP || isFresh(image)
    else { return nil }
    return Loaded(image: image, trace: LoadTrace())
  }

  /// The image in memory, fresh or stale, without counting a miss.
  private func imageInMemory(_ request: ImageRequest, _ key: CacheKey) -> DecodedImage? {
    guard request.readsMemory else { return nil }
    let memory = configuration.cache(for: request).memory
    return memory.contains(key) ? memory.image(for: key) : nil
  }

  private func image(
    _ request: ImageRequest, keys: RequestKeys, stale: DecodedImage?, _ subscription: LoadSubscription,
    keepsResult: Bool
  ) async throws(ImageError) -> Loaded {
    // The request of the steps that read the original bytes; a stored variant is still older than them.
    var remaining = request
    var (revalidated, encoded): (Loaded?, EncodedImage?) = (nil, nil)
    if let stale {
      (revalidated, encoded) = try await revalidate(stale, request, keys: keys, subscription)
      // The server has been contacted: the steps below find the bytes as long as they are held.
      if let encoded, encoded.isFoundAgain, request.freshness.contactsServerFirst {
        remaining.cachePolicy = .standard
      }
    }
    defer { withExtendedLifetime(encoded) {} }
    if let revalidated { return revalidated }
    if keepsResult, let variant = try await storedVariant(request, keys: keys, subscription) { return variant }
    if let processor = request.processors.last { return try await process(remaining, with: processor, subscription) }
    if let encoded { return try await decode(encoded, remaining, key: keys.fetch, subscription) }
    return try await decode(remaining, key: keys.fetch, subscription)
  }

  /// Puts the result of a job into memory and into the store, as the request says.
  @inline(never)
  private func keep(
    _ loaded: Loaded, _ request: ImageRequest, _ keys: RequestKeys, _ subscription: LoadSubscription,
    _ watch: RemovalWatch
  ) async -> Loaded {
    // A caller that joins after this line finds nothing in memory next time, and loads again.
    guard subscription.keepsResult, !loaded.image.isPartial else { return loaded }
    guard loaded.encoded?.allowsMemory ?? true else {
      if request.writesMemory, !loaded.isRemoved(watch) {
        unstoredImages.insert(loaded.image, for: keys.image, in: configuration.cache(for: request).memory, watch)
      }
      return loaded
    }
    if request.writesMemory { storeInMemory(loaded, request, keys, subscription, watch) }
    var loaded = loaded
    if !loaded.isStoredVariant { loaded.variantWrite = await storeVariant(of: loaded, request, keys: keys, watch) }
    return loaded
  }

  /// The stale image, if the bytes that are valid now are those it was decoded from; and these bytes.
  private func revalidate(
    _ stale: DecodedImage, _ request: ImageRequest, keys: RequestKeys, _ subscription: LoadSubscription
  ) async throws(ImageError) -> (Loaded?, EncodedImage?) {
    guard stale.facts.freshness != nil else { return (nil, nil) }
    let encoded = try await bytes.encodedImage(for: request, key: keys.fetch, subscription: subscription)
    guard let image = await renewed(stale, by: encoded, subscription) else { return (nil, encoded) }
    let placeholder = configuration.cache(for: request).placeholders[keys.fetch]
    await storeOriginalIfWanted(encoded, of: request, placeholder)
    return (Loaded(image: image, encoded: encoded, trace: encoded.trace), encoded)
  }

  /// An image with the freshness of `encoded`; `nil` if it was decoded from other bytes.
  private func renewed(
    _ image: DecodedImage, by encoded: EncodedImage, _ subscription: LoadSubscription
  ) async -> DecodedImage? {
    guard let known = image.facts.freshness, let end = encoded.freshEnd,
      let version = try? await workers.run(for: subscription, { _ in encoded.version }), version == known.version
    else { return nil }
    var image = image
    image.facts.freshness = SourceFreshness(end: end, version: version)
    return image
  }

  /// The image that another load decoded from the same stored bytes while they were revalidated, as for a view that
  /// shows the stale image meanwhile. Counts no miss.
  @inline(never)
  private func decodedMeanwhile(
    from encoded: EncodedImage, _ request: ImageRequest, _ subscription: LoadSubscription
  ) async -> DecodedImage? {
    guard encoded.origin == .store, let image = imageInMemory(request, RequestKeys(request).image) else { return nil }
    return await renewed(image, by: encoded, subscription)
  }

  @inline(never)
  private func decode(
    _ request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    let encoded = try await bytes.encodedImage(for: request, key: key, subscription: subscription)
    return try await decode(encoded, request, key: key, subscription)
  }

  @inline(never)
  private func decode(
    _ encoded: EncodedImage, _ request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    if let image = await decodedMeanwhile(from: encoded, request, subscription) {
      return Loaded(image: image, encoded: encoded, trace: encoded.trace)
    }
    return try await decodeOrFetchAgain(encoded, request, key: key, subscription)
  }

  /// Decodes bytes; those of the store are fetched again, once, if they are damaged.
  func decodeOrFetchAgain(
    _ encoded: EncodedImage, _ request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    do throws(ImageError) {
      return try await decode(encoded, request: request, key: key, subscription)
    } catch {
      let fetched = try await fetchAgain(encoded, after: error, request, key: key, subscription)
      return try await decode(fetched, request: request, key: key, subscription)
    }
  }

  /// The bytes from the network, in place of stored ones that could not be decoded: they were an image once.
  ///
  /// - Throws: `error` if the bytes are not stored ones, or another error than that of a decoder.
  func fetchAgain(
    _ encoded: EncodedImage, after error: ImageError, _ request: ImageRequest, key: CacheKey,
    _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    if encoded.origin == .network { bytes.remember(error, for: request.failureKey(key), of: encoded) }
    guard encoded.origin == .store, case .decoding(let reason, _) = error, reason != .cancelled,
      request.freshness.usesNetwork
    else { throw error }
    var retry = request
    retry.storeAccess = (request.storeAccess ?? .readWrite).withoutReads
    return try await bytes.encodedImage(for: retry, key: key, subscription: subscription)
  }

  /// Decodes at the requested size, and stores the bytes, now that they are known to be an image.
  func decode(
    _ encoded: EncodedImage, request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    let start = ContinuousClock.now
    let image: DecodedImage
    let placeholder: ThumbHash?
    do {
      let decoder = try configuration.decoders(for: request).decoder(for: encoded.info.format)
      (image, placeholder) = try await workers.run(for: subscription) { [self] flag in
        try flag.asCurrent { try decodeNow(encoded, request, by: decoder, flag) }
      }
    } catch {
      throw ImageError(decoding: error, encoded)
    }
    var trace = encoded.trace
    trace.add(.decode, since: start)
    configuration.report(.decoded(image.size), to: subscription)
    if let known = placeholder ?? encoded.metadata.placeholder, !encoded.watch.isRemovedFromStore {
      configuration.cache(for: request).placeholders.insert(known, for: key)
    }
    if !image.isPartial { await storeOriginalIfWanted(encoded, of: request, placeholder) }
    return Loaded(image: image, encoded: encoded, trace: trace)
  }
}

extension ImageLoader {
  /// An image and its placeholder, decoded on the calling thread.
  func decodeNow(
    _ encoded: EncodedImage, _ request: ImageRequest, by decoder: any ImageDecoder, _ flag: CancellationFlag
  ) throws -> (DecodedImage, ThumbHash?) {
    let options = DecodingOptions(
      size: request.targetSize, limits: configuration.limits, allowsPartialImage: request.acceptsPartialImage,
      keepsAnimation: !request.loadsFirstFrame, colorSpace: request.targetColorSpace
    ) { flag.isCancelled }
    var image = try encoded.decoded(for: request) ?? decoder.image(from: encoded.data, options: options)
    if image.bitmap.colorSpace != .sRGB || request.targetColorSpace == .displayP3 {
      image.bitmap = try image.bitmap.converted(for: request.targetColorSpace)
    }
    image.facts.freshness = encoded.freshEnd.map { SourceFreshness(end: $0, version: encoded.version) }
    return (image, Self.placeholder(for: image, of: encoded, for: request, configuration))
  }
}

extension ImageError {
  /// The error of a decoder.
  init(decoding error: any Error, _ encoded: EncodedImage) {
    let url = encoded.metadata.url ?? .unnamedImage
    self =
      switch error {
      case is CancellationError, ImageDecodingError.cancelled: .cancelled
      // As without an image in the body.
      case _ where encoded.isOfErrorStatus && encoded.origin == .network:
        .httpStatus(encoded.metadata.status, url: url)
      case let error as ImageDecodingError: .decoding(error, url: url)
      default: .failed(cause: error, url: url)
      }
  }

  /// The error of an encoder.
  init(encoding error: any Error, _ encoded: EncodedImage) {
    self = error is CancellationError ? .cancelled : .failed(cause: error, url: encoded.metadata.url ?? .unnamedImage)
  }

  /// The error of a processor.
  init(processing error: any Error, by processor: any ImageProcessor) {
    self =
      error is CancellationError ? .cancelled : .processingFailed(identifier: processor.identifier, cause: error)
  }
}

extension WorkerPool {
  /// Runs `work` with the priority of a subscription, which may change while the work waits.
  func run<Value: Sendable>(
    for subscription: LoadSubscription, _ work: @escaping @Sendable (CancellationFlag) throws -> Value
  ) async throws -> Value {
    let id = newWork()
    let observer = subscription.observePriority { self.setPriority(subscription.priority, of: id) }
    defer { subscription.stopObserving(observer) }
    return try await run(id, priority: { subscription.priority }, work)
  }
}
