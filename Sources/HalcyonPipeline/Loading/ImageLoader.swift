import HalcyonHTTP
import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import Foundation

/// From encoded bytes to the image that was asked for, each step once for everyone who needs it.
final class ImageLoader: Sendable {
  /// An image on its way to those who wait for it.
  struct Loaded: Sendable {
    var image: DecodedImage
    var body: EncodedImage
    var trace: LoadTrace
    /// The writing of the image to the store, where that was started.
    var variantWrite: Task<Void, Never>?
    /// Whether the image was in the store as it is shown.
    var isStoredVariant = false
  }

  private struct JobKey: Hashable {
    let key: CacheKey
    let terms: OptionsKey<LoadKey>

    /// Requests that differ in their terms alone are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  let configuration: PipelineConfiguration
  let fetcher: ImageFetcher
  /// Tells what happens; `nil` where nobody listens.
  let monitor: PipelineMonitor?
  let workers: WorkerPool
  private let jobs: InFlightJobs<JobKey, Loaded>

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    fetcher = ImageFetcher(configuration: configuration)
    monitor = PipelineMonitor(configuration)
    workers = WorkerPool(name: "decoder", width: configuration.decodingWidth)
    jobs = InFlightJobs(configuration.eventHandler == nil ? nil : .image)
  }

  /// Jobs that have not ended.
  var activeCount: Int { jobs.count + fetcher.activeCount }

  /// The image in memory, if the request allows to look there and it may be shown as it is.
  func memoryResponse(for request: ImageRequest, key: CacheKey) -> ImageResponse? {
    memoryAnswer(for: request, key: key).value
  }

  /// The image in memory, or why there is none that may be shown.
  func memoryAnswer(for request: ImageRequest, key: CacheKey) -> CacheResult<ImageResponse> {
    guard request.cachePolicy.readsMemory, !request.freshness.contactsServerFirst else { return .miss(.notRead) }
    switch memoryImage(request, key) {
    case .miss(let miss): return .miss(miss)
    case .hit(let image):
      guard request.freshness != .standard || isFresh(image) else { return .miss(.stale) }
      return .hit(ImageResponse(image: image, origin: .memory, trace: LoadTrace()))
    }
  }

  private func memoryImage(_ request: ImageRequest, _ key: CacheKey) -> CacheResult<DecodedImage> {
    let memory = configuration.targetCache(for: request).memory
    let answer = memory.lookUp(key, extending: request.memoryExtension)
    guard case .miss = answer, request.firstFrameOnly else { return answer }
    // The still picture of an animation will do.
    var animated = request
    animated.options.firstFrameOnly = false
    let image = memory.image(for: RequestKeys(animated).image, extending: request.memoryExtension)
    return image.map { .hit($0.still) } ?? answer
  }

  private func storeInMemory(
    _ image: DecodedImage, _ request: ImageRequest, _ keys: RequestKeys, _ interest: LoadSubscription
  ) {
    let expiration = request.optionsBox?.options.memoryExpiration
    if configuration.targetCache(for: request).memory.store(image, for: keys.image, expiration: expiration) {
      configuration.tell(.stored(.memory, byteCount: image.byteCount), to: interest)
    }
  }

  func isFresh(_ image: DecodedImage) -> Bool {
    image.facts.freshness.map { configuration.time.uptime() < $0.end } ?? true
  }

  /// What makes previews for a task; `nil` for a request that wants none.
  func previews(for request: ImageRequest) -> PreviewMaker? {
    PreviewMaker(request, configuration: configuration, workers: workers)
  }

  /// How many transfers may go on at once.
  var connectionLimits: ConnectionLimits {
    get { fetcher.connectionLimits }
    set { fetcher.connectionLimits = newValue }
  }

  func singleResponse(
    for request: ImageRequest, keys: RequestKeys, _ interest: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    var loaded = try await load(request, keys: keys, interest: interest, keepsResult: true)
    if request.waitsForStore { await loaded.waitForWriting() }
    return ImageResponse(
      image: loaded.image, origin: loaded.body.origin, url: loaded.body.metadata.url,
      encodedByteCount: loaded.body.data.count, trace: loaded.trace)
  }

  private func load(
    _ request: ImageRequest, keys: RequestKeys, interest: LoadSubscription, keepsResult: Bool
  ) async throws(ImageError) -> Loaded {
    let jobKey = JobKey(key: keys.image, terms: LoadKey.key(request))
    return try await jobs.value(
      for: jobKey, interest: interest, keepsResult: keepsResult
    ) { [self] interest throws(ImageError) in
      let (renewed, body) = try await renewed(request, keys: keys, interest: interest)
      // What was fetched to find out is found again by the steps below, as long as it is held.
      defer { withExtendedLifetime(body) {} }
      var rest = request
      // So they need not ask once more.
      if let body, request.freshness.contactsServerFirst, body.isFoundAgain { rest.freshness = .standard }
      var loaded =
        if let renewed {
          renewed
        } else if keepsResult, let variant = try await storedVariant(request, keys: keys, interest: interest) {
          variant
        } else if let processor = request.processors.last {
          try await process(rest, with: processor, interest: interest)
        } else {
          try await decode(rest, key: keys.fetch, interest: interest)
        }
      // Somebody who joins after this line finds nothing in memory next time, and decodes again: no harm is done.
      if interest.keepsResult, loaded.body.mayStayInMemory, !loaded.image.isPartial {
        if request.cachePolicy.writesMemory { storeInMemory(loaded.image, request, keys, interest) }
        if !loaded.isStoredVariant { loaded.variantWrite = await storeVariant(of: loaded, request, keys: keys) }
      }
      return loaded
    }
  }

  /// The image in memory, when it is no longer fresh but still made of the bytes that are right now; and those bytes.
  private func renewed(
    _ request: ImageRequest, keys: RequestKeys, interest: LoadSubscription
  ) async throws(ImageError) -> (Loaded?, EncodedImage?) {
    let memory = configuration.targetCache(for: request).memory
    guard request.cachePolicy.readsMemory, var image = memory.image(for: keys.image),
      let known = image.facts.freshness
    else { return (nil, nil) }
    let body = try await fetcher.body(for: request, key: keys.fetch, interest: interest)
    guard let end = body.freshEnd,
      let version = try? await workers.run(priority: interest.priority, { _ in body.version }), version == known.version
    else { return (nil, body) }
    image.facts.freshness = SourceFreshness(end: end, version: version)
    await keep(body, of: request, configuration.originalCache(for: request).placeholders[keys.fetch])
    return (Loaded(image: image, body: body, trace: body.trace), body)
  }

  /// The image after all processors but the last, shared with those who want just that, and then the last.
  private func process(
    _ request: ImageRequest, with processor: any ImageProcessor, interest: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    var earlier = request
    earlier.processors.removeLast()
    var loaded = try await load(earlier, keys: RequestKeys(earlier), interest: interest, keepsResult: false)
    let start = ContinuousClock.now
    let image = loaded.image
    do {
      let bitmap = try await workers.run(priority: interest.priority) { _ in try processor.process(image.bitmap) }
      loaded.image = request.processesFrames ? image.replacing(bitmap, by: processor) : image.replacing(bitmap)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .processingFailed(identifier: processor.identifier, cause: error)
    }
    loaded.trace.add(.process, since: start)
    configuration.tell(.processed(identifier: processor.identifier), to: interest)
    return loaded
  }

  private func decode(
    _ request: ImageRequest, key: CacheKey, interest: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    let body = try await fetcher.body(for: request, key: key, interest: interest)
    do throws(ImageError) {
      return try await decode(body, request: request, key: key, interest: interest)
    } catch {
      if body.origin == .network { fetcher.note(error, for: key) }
      // What the store holds was an image once. When it no longer is, it is worth fetching again, once.
      guard body.origin == .store, case .decoding(let reason, _) = error, reason != .cancelled,
        request.freshness.usesNetwork
      else { throw error }
      var retry = request
      retry.cachePolicy.readsStore = false
      let fresh = try await fetcher.body(for: retry, key: key, interest: interest)
      return try await decode(fresh, request: request, key: key, interest: interest)
    }
  }

  func decode(
    _ body: EncodedImage, request: ImageRequest, key: CacheKey, interest: LoadSubscription
  ) async throws(ImageError) -> Loaded {
    let url = body.metadata.url ?? .unnamedImage
    guard let decoder = configuration.decoders.first(where: { $0.formats.contains(body.info.format) }) else {
      throw .decoding(.unsupportedFormat(body.info.format), url: url)
    }
    let start = ContinuousClock.now
    let limits = configuration.limits
    let image: DecodedImage
    let placeholder: ThumbHash?
    do {
      (image, placeholder) = try await workers.run(priority: interest.priority) { [configuration] flag in
        let options = DecodingOptions(
          size: request.size, limits: limits, allowsPartialImage: request.allowsPartialImage,
          keepsAnimation: !request.firstFrameOnly
        ) { flag.isCancelled }
        var image = try decoder.image(from: body.data, options: options)
        image.facts.freshness = body.freshEnd.map { SourceFreshness(end: $0, version: body.version) }
        return (image, Self.placeholder(for: image, of: body, at: request.size, configuration))
      }
    } catch is CancellationError {
      throw .cancelled
    } catch ImageDecodingError.cancelled {
      throw .cancelled
    } catch let error as ImageDecodingError {
      throw .decoding(error, url: url)
    } catch {
      throw .failed(cause: error, url: url)
    }
    var trace = body.trace
    trace.add(.decode, since: start)
    configuration.tell(.decoded(image.size), to: interest)
    if let known = placeholder ?? body.metadata.placeholder {
      configuration.originalCache(for: request).placeholders.insert(known, for: key)
    }
    if !image.isPartial { await keep(body, of: request, placeholder) }
    return Loaded(image: image, body: body, trace: trace)
  }

  /// Hands what is new to the store, once it is proven to be an image. A store that fails fails no load.
  private func keep(_ body: EncodedImage, of request: ImageRequest, _ placeholder: ThumbHash?) async {
    if request.storesOriginal { await keepOriginal(body, of: request, placeholder) }
  }

  func keepOriginal(_ body: EncodedImage, of request: ImageRequest, _ placeholder: ThumbHash?) async {
    guard var draft = body.draft, let cache = configuration.httpCache(for: request) else { return }
    draft.metadata.placeholder = placeholder
    let writes = configuration.originalCache(for: request).writes
    await body.startWriting { [monitor, draft] in
      // The body is held to the end of the write: until then others find it nowhere else.
      await writes.start(byteCount: body.data.count) {
        guard (try? await cache.store(draft, body: body.data)) != nil else { return }
        body.markStored()
        monitor?.tell(.stored(.store, byteCount: body.data.count))
      }
    }
  }
}
