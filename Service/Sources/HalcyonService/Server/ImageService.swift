public import Foundation
import HTTPTypes
public import Halcyon
import HalcyonSupport
import HalcyonCache
import HalcyonCodecs
import HalcyonBackend
public import Logging
import Synchronization

/// An image service without its sockets: responds to requests with images, their properties, its health and metrics.
public final class ImageService: Sendable {
  private let configuration: ServiceConfiguration
  private let signer: URLSigner
  private let parser: OptionParser
  private let maker: ImageMaker
  private let purgeNodes: PurgeNodes
  private let limiter: AdmissionLimiter
  /// Few at once, each of which may have the most bytes of a source in memory.
  private let uploadLimiter = AdmissionLimiter(limit: 2, queueLength: 16)
  private let metrics = ServiceMetrics()
  private let logger: Logger
  private let time: any TimeSource
  private let uploads: Uploads
  private let responses: ResponseCache
  private let lastDate = Mutex((second: Int.min, text: ""))
  private let isStopping = Atomic(false)
  private let bucketCheck: Task<Void, Never>

  /// Creates a service; the watermark is read here.
  ///
  /// - Parameters:
  ///   - drawingProgram: The program that draws SVG in a process of its own, with its arguments; `nil` draws SVG in this
  ///     process.
  ///   - time: The clock of deadlines and expiring URLs.
  /// - Throws: The error of a watermark that cannot be read.
  public init(
    _ configuration: ServiceConfiguration, logger: Logger,
    drawingProgram: (program: URL, arguments: [String])? = nil, time: any TimeSource = SystemTime()
  ) async throws {
    self.configuration = configuration
    self.logger = logger
    self.time = time
    signer = URLSigner(pairs: configuration.keyPairs, byteCount: configuration.signatureByteCount)
    parser = OptionParser(presets: configuration.presets, acceptsPresetsOnly: configuration.acceptsPresetsOnly)
    purgeNodes = PurgeNodes(configuration, logger: logger)
    limiter = AdmissionLimiter(limit: configuration.concurrency, queueLength: configuration.queueLength)
    responses = ResponseCache(byteLimit: configuration.memoryByteCount / 4, time: time)
    uploads = Uploads(byteLimit: configuration.limits.encodedByteCount)
    let resolver = SourceResolver(configuration, uploads: configuration.showsGallery ? uploads : nil)
    let fallback = FallbackImage(configuration)
    var transports = resolver.ownTransports
    if let local = fallback?.transport { transports[local.host] = local }
    let pipeline = ImagePipeline(
      service: configuration, resolver: resolver, ownTransports: transports, drawingProgram: drawingProgram,
      logger: logger)
    var mark: Bitmap?
    if let file = configuration.watermark { mark = try await pipeline.image(for: file).bitmap }
    let formats = FormatChoice(
      automatic: configuration.automaticFormats, writable: StandardCodecs.writable)
    maker = ImageMaker(
      pipeline: pipeline, configuration: configuration, resolver: resolver, formats: formats, mark: mark,
      fallback: fallback, metrics: metrics)
    let tiers = pipeline.cache.tiers?.tiers ?? []
    bucketCheck = Task { await Self.checkBuckets(of: tiers, logger) }
  }

  /// Logs a bucket that cannot be used. The service starts meanwhile, and works without it.
  private static func checkBuckets(of tiers: [TieredStore.Tier], _ logger: Logger) async {
    for tier in tiers {
      guard let store = tier.store as? S3Store else { continue }
      do {
        try await store.checkBucket()
      } catch {
        if Task.isCancelled { return }
        logger.warning(
          "The bucket of results cannot be used",
          metadata: ["tier": "\(tier.name)", "bucket": "\(store.bucket)", "error": "\(error)"])
      }
    }
  }

  /// Waits until the bucket of results was requested.
  func waitForBucketCheck() async { await bucketCheck.value }

  /// The response to a request; errors are responses as well. Cancelling the task ends the work for it.
  public func response(to request: ServiceRequest) async -> ServiceResponse {
    if let cached = cachedResponse(to: request) { return cached }
    let start = ContinuousClock.now
    let id = Self.requestID(request.headers)
    metrics.begin()
    var isHit: Bool?
    var response: ServiceResponse
    do {
      switch request.method {
      case .get, .head:
        (response, isHit) = try await TraceFields.$current.withValue(TraceFields.fields(of: request.headers, id: id)) {
          try await route(request)
        }
      case .post where request.path == GalleryUpload.path && configuration.showsGallery:
        response = try await upload(request)
      case .delete where request.path.hasPrefix("/cache/"): response = try await purge(request)
      default: throw ServiceError.methodNotAllowed
      }
    } catch {
      response = .failure(ServiceError(error))
      logger.debug("Failed", metadata: ["id": "\(id)", "error": "\(error)"])
    }
    finish(&response, to: request, id: id, since: start, isHit: isHit)
    return response
  }

  /// The response with a result that is in memory, without any work; `nil` if ``response(to:)`` has to be called.
  func cachedResponse(to request: ServiceRequest) -> ServiceResponse? {
    guard request.method == .get || request.method == .head, let result = responses[responseKey(request)] else {
      return nil
    }
    let start = ContinuousClock.now
    metrics.begin()
    var response = result.response(to: request.headers)
    finish(&response, to: request, id: Self.requestID(request.headers), since: start, isHit: true)
    return response
  }

  /// The date of a response, as text that is made once a second.
  var date: String {
    let now = time.now()
    let second = Int(now.timeIntervalSince1970)
    return lastDate.withLock { last in
      if last.second != second { last = (second, HTTPTime.text(now)) }
      return last.text
    }
  }

  private func responseKey(_ request: ServiceRequest) -> ResponseCache.Key {
    let isChosen = !configuration.automaticFormats.isEmpty
    return ResponseCache.Key(
      path: request.path, format: isChosen ? maker.formats.format(accept: request.headers[.accept]) : nil)
  }

  /// Counts and logs a response.
  private func finish(
    _ response: inout ServiceResponse, to request: ServiceRequest, id: String, since start: ContinuousClock.Instant,
    isHit: Bool?
  ) {
    response.headers[.requestID] = id
    let byteCount = request.method == .head ? 0 : response.body.count
    let duration = ContinuousClock.now - start
    metrics.end(status: response.status, byteCount: byteCount, duration: duration, isHit: isHit)
    logger.info(
      "Responded",
      metadata: [
        "id": "\(id)", "method": "\(request.method)", "status": "\(response.status)", "bytes": "\(byteCount)",
        "ms": "\((duration / .milliseconds(1) * 100).rounded() / 100)",
        "cache": "\(isHit.map { $0 ? "hit" : "miss" } ?? "-")",
      ])
  }

  /// Makes ``response(to:)`` report at `/ready` that no more requests should come.
  public func stop() { isStopping.store(true, ordering: .relaxed) }

  /// Waits until all results made so far are in the cache.
  public func flush() async { await maker.pipeline.cache.flush() }

  /// Ends the work of the service, and waits until its cache is written.
  public func close() async {
    stop()
    bucketCheck.cancel()
    await maker.pipeline.cache.flush()
    maker.pipeline.invalidate()
  }

  /// The response, and whether its image was in the cache; `nil` without an image.
  private func route(_ request: ServiceRequest) async throws -> (ServiceResponse, isHit: Bool?) {
    switch request.path {
    case "/health":
      return (.text(200, "OK\n"), nil)
    case "/ready":
      guard !isStopping.load(ordering: .relaxed) else { throw ServiceError.shuttingDown }
      return (.text(200, "OK\n"), nil)
    case "/metrics":
      let type = "text/plain; version=0.0.4; charset=utf-8"
      let text = metrics.text(gauges: gauges, tiers: maker.pipeline.cache.tiers?.statistics ?? [])
      return (.text(200, text, type: type), nil)
    case "/", "/favicon.ico", "/gallery.css", "/gallery.js", "/gallery.json":
      return (try await gallery(request.path), nil)
    case let path where path.hasPrefix("/info/"):
      return (try await info(path.dropFirst(5)), nil)
    default:
      return try await image(request)
    }
  }

  private func image(_ request: ServiceRequest) async throws -> (ServiceResponse, isHit: Bool?) {
    try checkSignature(of: request.path)
    let path = try ImagePath(request.path, hasPresetsOnly: configuration.acceptsPresetsOnly)
    let (options, identifier) = try parser.parsed(path)
    try checkExpiry(options)
    let accept = request.headers[.accept]
    let generation = responses.generation
    let result = try await working { [maker] in
      try await maker.result(for: path.source, options, identifier: identifier, accept: accept)
    }
    let response = ResultResponse(result, options, source: path.source, configuration)
    if let freshness = result.freshness, result.fallbackStatus == nil, options.expires == nil {
      responses.insert(
        response.asHit, for: responseKey(request), freshness: freshness, isCurrent: result.isCurrent,
        since: generation)
    }
    return (response.response(to: request.headers), result.isHit)
  }

  private func info(_ path: Substring) async throws -> ServiceResponse {
    try checkSignature(of: String(path))
    let path = try ImagePath(String(path))
    try checkExpiry(try parser.options(of: path))
    let (info, byteCount) = try await working { [maker] in try await maker.info(for: path.source) }
    let report = SourceReport(info, byteCount: byteCount)
    var response = ServiceResponse.text(200, try report.json(), type: "application/json")
    response.headers[.cacheControl] = "public, max-age=\(configuration.timeToLive)"
    return response
  }

  private func gallery(_ path: String) async throws -> ServiceResponse {
    guard configuration.showsGallery else { throw ServiceError.notFound }
    if let response = GalleryPage.response(to: path) { return response }
    guard path == "/gallery.json" else { throw ServiceError.notFound }
    guard let folder = configuration.localRoot else { return .text(200, "[]", type: "application/json") }
    let photos = GalleryPhotos(maker: maker)
    return .text(200, try await working { try await photos.json(ofFolder: folder) }, type: "application/json")
  }

  private func upload(_ request: ServiceRequest) async throws -> ServiceResponse {
    let upload = GalleryUpload(uploads: uploads, maker: maker)
    try upload.check(request)
    return try await working(uploadLimiter) { try await upload.response(to: request) }
  }

  private func purge(_ request: ServiceRequest) async throws -> ServiceResponse {
    let purge = CachePurge(
      token: configuration.purgeToken, resolver: maker.resolver, cache: maker.pipeline.cache)
    guard purge.isAuthorized(request.headers) else { throw ServiceError.unauthorized }
    let path = try ImagePath("/_/" + request.path.dropFirst("/cache/".count))
    // Also if a tier could not be reached.
    defer { responses.removeAll() }
    async let removed = purge.removeAll(of: path.source)
    let isPurgedElsewhere = await purgeNodes.purge(path.source, request.headers)
    let count = try await removed
    guard isPurgedElsewhere else { throw ServiceError.purgeIncomplete }
    return .text(200, "{\"removed\":\(count)}\n", type: "application/json")
  }

  /// Checks the signature, which is the first segment, of the rest of a path, whatever that is.
  private func checkSignature(of path: String) throws(ServiceError) {
    guard !configuration.isInsecure, let (signature, signedPart) = ImagePath.signature(in: path) else { return }
    guard signer.isValid(signature, for: signedPart) else { throw .invalidSignature }
  }

  private func checkExpiry(_ options: ProcessingOptions) throws(ServiceError) {
    if let expires = options.expires, time.now().timeIntervalSince1970 >= Double(expires) { throw .expired }
  }

  /// Runs `body` when a permit is free, until the deadline.
  private func working<Result: Sendable>(
    _ uploadLimiter: AdmissionLimiter? = nil, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) {
      [limiter = uploadLimiter ?? limiter, time, configuration] group in
      group.addTask { try await limiter.run(body) }
      group.addTask {
        try await time.sleep(for: configuration.deadline)
        throw ServiceError.deadlineExceeded
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }

  private var gauges: [(name: String, help: String, value: Double)] {
    let counts = limiter.counts
    let statistics = maker.pipeline.cache.statistics[.store]
    return [
      ("halcyon_requests_active", "Requests that are worked on.", Double(counts.active)),
      ("halcyon_requests_waiting", "Requests that wait for a permit.", Double(counts.waiting)),
      ("halcyon_loads_active", "Loads of the pipeline.", Double(maker.pipeline.activeLoadCount)),
      ("halcyon_disk_hits", "Reads of the disk cache that found an entry.", Double(statistics?.hits ?? 0)),
      (
        "halcyon_memcached_servers_ejected", "Memcached servers that are ejected.",
        Double(memcached?.ejectedServerCount ?? 0)
      ),
      (
        "halcyon_memcached_oversized", "Results that were too large for memcached.", Double(memcached?.oversized ?? 0)
      ),
    ]
  }

  private var memcached: MemcachedStatistics? {
    maker.pipeline.cache.tiers?.tiers.compactMap { $0.store as? MemcachedStore }.first?.statistics
  }

  /// The identifier that the client sent, if it is harmless, or a new one.
  private static func requestID(_ headers: HTTPFields) -> String {
    let given = headers[.requestID] ?? ""
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
    let isValid = (1...64).contains(given.utf8.count) && given.utf8.allSatisfy(letters.contains)
    return isValid ? given : requestIDPrefix + String(requestCount.add(1, ordering: .relaxed).newValue, radix: 16)
  }

  /// Random bits, so that no other process makes the same identifiers.
  private static let requestIDPrefix = String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16) + "-"
  private static let requestCount = Atomic<UInt64>(0)
}
