import Foundation

/// From encoded bytes to the image that was asked for, each step once for everyone who needs it.
final class ImageLoader: Sendable {
  /// An image on its way to those who wait for it.
  struct Loaded: Sendable {
    var image: DecodedImage
    var body: FetchedBody
    var trace: LoadTrace
  }

  private struct JobKey: Hashable {
    let key: CacheKey
    let policy: CachePolicy
  }

  private let configuration: ImagePipeline.Configuration
  private let fetcher: ImageFetcher
  private let workers: WorkerPool
  private let jobs = SharedJobs<JobKey, Loaded>()

  init(configuration: ImagePipeline.Configuration) {
    self.configuration = configuration
    fetcher = ImageFetcher(configuration: configuration)
    workers = WorkerPool(name: "decoder", width: configuration.decodingWidth)
  }

  /// Jobs that have not ended.
  var activeCount: Int { jobs.count + fetcher.activeCount }

  /// The image in memory, if the request allows to look there.
  func memoryResponse(for request: ImageRequest, key: CacheKey) -> ImageResponse? {
    guard request.cachePolicy.readsMemory, let image = configuration.cache.memory.image(for: key) else { return nil }
    return ImageResponse(image: image, origin: .memory, trace: LoadTrace())
  }

  func response(
    for request: ImageRequest, keys: RequestKeys, interest: LoadInterest
  ) async throws(ImageError) -> ImageResponse {
    guard request.size.isValid else { throw .invalidTargetSize(request.size) }
    let loaded = try await load(request, keys: keys, interest: interest, keepsResult: true)
    return ImageResponse(
      image: loaded.image, origin: loaded.body.origin, url: loaded.body.metadata.url,
      encodedByteCount: loaded.body.data.count, trace: loaded.trace)
  }

  /// The encoded bytes of a request.
  func body(for request: ImageRequest) async throws(ImageError) -> FetchedBody {
    try await fetcher.body(
      for: request, key: RequestKeys(request).fetch, interest: LoadInterest(priority: request.priority))
  }

  private func load(
    _ request: ImageRequest, keys: RequestKeys, interest: LoadInterest, keepsResult: Bool
  ) async throws(ImageError) -> Loaded {
    let jobKey = JobKey(key: keys.image, policy: request.cachePolicy)
    return try await jobs.value(
      for: jobKey, interest: interest, keepsResult: keepsResult
    ) { [self] interest throws(ImageError) in
      let loaded =
        if let processor = request.processors.last {
          try await process(request, with: processor, interest: interest)
        } else {
          try await decode(request, key: keys.fetch, interest: interest)
        }
      // Somebody who joins after this line finds nothing in memory next time, and decodes again: no harm is done.
      if request.cachePolicy.writesMemory, interest.keepsResult {
        configuration.cache.memory.store(loaded.image, for: keys.image, expiration: nil)
      }
      return loaded
    }
  }

  /// The image after all processors but the last, shared with those who want just that, and then the last.
  private func process(
    _ request: ImageRequest, with processor: any ImageProcessor, interest: LoadInterest
  ) async throws(ImageError) -> Loaded {
    var earlier = request
    earlier.processors.removeLast()
    var loaded = try await load(earlier, keys: RequestKeys(earlier), interest: interest, keepsResult: false)
    let start = ContinuousClock.now
    let image = loaded.image
    do {
      let bitmap = try await workers.run(priority: interest.priority) { _ in try processor.process(image.bitmap) }
      loaded.image = image.replacing(bitmap)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .processingFailed(identifier: processor.identifier, cause: error)
    }
    loaded.trace.add(.process, since: start)
    return loaded
  }

  private func decode(
    _ request: ImageRequest, key: CacheKey, interest: LoadInterest
  ) async throws(ImageError) -> Loaded {
    let body = try await fetcher.body(for: request, key: key, interest: interest)
    do throws(ImageError) {
      return try await decode(body, request: request, key: key, interest: interest)
    } catch {
      // What the store holds was an image once. When it no longer is, it is worth fetching again, once.
      guard body.origin == .store, case .decoding(let reason, _) = error, reason != .cancelled else { throw error }
      var retry = request
      retry.cachePolicy.readsStore = false
      let fresh = try await fetcher.body(for: retry, key: key, interest: interest)
      return try await decode(fresh, request: request, key: key, interest: interest)
    }
  }

  private func decode(
    _ body: FetchedBody, request: ImageRequest, key: CacheKey, interest: LoadInterest
  ) async throws(ImageError) -> Loaded {
    let url = body.metadata.url ?? URL(filePath: "/")
    guard let decoder = configuration.decoders.first(where: { $0.formats.contains(body.info.format) }) else {
      throw .decoding(.unsupportedFormat(body.info.format), url: url)
    }
    let start = ContinuousClock.now
    let limits = configuration.limits
    let image: DecodedImage
    do {
      image = try await workers.run(priority: interest.priority) { flag in
        let options = DecodingOptions(size: request.size, limits: limits) { flag.isCancelled }
        return try decoder.image(from: body.data, options: options)
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
    await keep(body, key: key, policy: request.cachePolicy)
    return Loaded(image: image, body: body, trace: trace)
  }

  /// Hands what came over the network to the store, once it is proven to be an image. A store that fails fails no load.
  private func keep(_ body: FetchedBody, key: CacheKey, policy: CachePolicy) async {
    guard body.origin == .network, policy.writesStore, let store = configuration.cache.store, body.prove() else {
      return
    }
    await configuration.cache.writes.start(byteCount: body.data.count) {
      try? await store.store(StoredEntry(body: body.data, metadata: body.metadata), for: key)
    }
  }
}
