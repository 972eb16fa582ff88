public import Foundation
import HTTPTypes
public import Halcyon
import HalcyonHTTP
import HalcyonSupport
import HalcyonCache
import HalcyonCodecs
import HalcyonBackend
@_spi(Programs) import HalcyonProcessing
@_spi(Programs) import HalcyonPipeline
public import Logging
import NIOCore
import NIOPosix
import Synchronization
public import Tracing

/// An image service without its sockets: responds to requests with images, their properties, its health and metrics.
public final class ImageService: Sendable {
  private let configuration: ServiceConfiguration
  private let signer: URLSigner
  private let parser: OptionParser
  private let maker: ImageMaker
  private let purgeNodes: PurgeNodes
  private let workload: Workload
  private let metrics = ServiceMetrics()
  private let log: RequestLog
  private let spans: RequestSpans?
  private let imgproxyMetrics: ImgproxyMetrics?
  private let time: any TimeSource
  private let responses: ResponseCache
  private let bodies: SharedBodies
  private let lastDate = Mutex((second: Int.min, text: ""))
  private let hasStopped = Atomic(false)
  private let bucketCheck: Task<Void, Never>

  /// Creates a service; the watermark is read here.
  ///
  /// - Parameters:
  ///   - drawingProgram: The program that draws SVG in a process of its own, with its arguments; `nil` draws SVG in this
  ///     process.
  ///   - tracer: Gets a span for each request, with spans of what is read, fetched, decoded, processed and encoded for it; the
  ///     requests to sources are connected with them.
  ///   - time: The clock of deadlines and expiring URLs.
  /// - Throws: ``ConfigurationError`` for a watermark, a fallback image or a folder that cannot be read, and for a program
  ///   that draws nothing.
  public init(
    _ configuration: ServiceConfiguration, logger: Logger,
    drawingProgram: (program: URL, arguments: [String])? = nil, tracer: (any Tracer)? = nil,
    time: any TimeSource = SystemTime()
  ) async throws {
    try configuration.checkFiles()
    self.configuration = configuration
    log = RequestLog(configuration, logger: logger)
    spans = tracer.map { RequestSpans($0) }
    imgproxyMetrics = configuration.imgproxyMetrics.map { ImgproxyMetrics(namespace: $0) }
    self.time = time
    signer = URLSigner(pairs: configuration.keyPairs, byteCount: configuration.signatureByteCount)
    parser = OptionParser(
      presets: configuration.presets, acceptsPresetsOnly: configuration.acceptsPresetsOnly,
      acceptsLimits: configuration.allowsSecurityOptions, allowed: configuration.allowedOptions)
    purgeNodes = PurgeNodes(configuration, logger: logger)
    workload = Workload(
      fetchLimit: configuration.queueLength + configuration.sourceConnectionsPerHost,
      workLimit: configuration.queueLength + configuration.concurrency,
      fetchedByteLimit: configuration.fetchedByteLimit)
    responses = ResponseCache(byteLimit: configuration.memoryByteCount / 4, time: time)
    bodies = SharedBodies(byteLimit: configuration.memoryByteCount / 4)
    let resolver = SourceResolver(configuration, time: time)
    var fallback = FallbackImage(configuration)
    let transports = resolver.ownTransports.merging(fallback?.ownTransports ?? [:]) { $1 }
    var eventHandler: (@Sendable (PipelineEvent) -> Void)?
    if spans != nil || imgproxyMetrics != nil {
      eventHandler = { [spans, imgproxyMetrics] event in
        spans?(event)
        imgproxyMetrics?(event)
      }
    }
    var drawing: IsolatedSVGDecoder?
    if let (program, arguments) = drawingProgram { drawing = try await Self.drawing(by: program, arguments, logger) }
    let pipeline = ImagePipeline(
      service: configuration, resolver: resolver, ownTransports: transports, workload: workload,
      metrics: metrics, eventHandler: eventHandler, drawing: drawing, logger: logger)
    try await Self.reading("fallback", configuration.fallback) { _ in try await fallback?.read(with: pipeline) }
    let mark = try await Self.reading("watermark", configuration.watermark) { try await pipeline.image(for: $0).bitmap }
    let formats = FormatRules(
      automatic: configuration.automaticFormats, enforced: configuration.enforcedFormats,
      preferred: configuration.preferredFormats,
      writable: StandardCodecs.writable)
    maker = ImageMaker(
      pipeline: pipeline, configuration: configuration, resolver: resolver, formats: formats, mark: mark,
      fallback: fallback, workload: workload, time: time, metrics: metrics)
    let tiers = pipeline.cache.tiers?.tiers ?? []
    bucketCheck = Task { await Self.checkBuckets(of: tiers, logger) }
  }

  /// The decoder that draws by a program, which has drawn something.
  private static func drawing(
    by program: URL, _ arguments: [String], _ logger: Logger
  ) async throws(ConfigurationError) -> IsolatedSVGDecoder {
    do {
      let (decoder, isConfined) = try await NIOThreadPool.singleton.runIfActive {
        var decoder = IsolatedSVGDecoder(helper: program, arguments: arguments)
        let isConfined = try decoder.checkHelper()
        return (decoder, isConfined)
      }
      if !isConfined {
        logger.warning("The system does not confine the process that draws SVG, which can read the files of this user")
      }
      return decoder
    } catch {
      throw .unusableProgram(program.path, reason: "\(error)")
    }
  }

  /// Reads the image of a setting; `nil` if there is none.
  private static func reading<Image>(
    _ setting: String, _ file: URL?, _ read: (URL) async throws -> Image
  ) async throws(ConfigurationError) -> Image? {
    guard let file else { return nil }
    do {
      return try await read(file)
    } catch {
      let path = file.isFileURL ? file.path : file.absoluteString.excerpt
      throw .unusableFile(setting: setting, path: path, reason: "\(error)")
    }
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
    let id = RequestIdentifier.text(of: request.headers)
    metrics.begin()
    let span = spans?.start(request, id: id, path: log.path.text(request.path))
    var fields = TraceFields.fields(of: request.headers, id: id)
    if let span, let spans { for field in spans.fields(of: span).fields { fields[field.name] = field.value } }
    var (response, isHit, failure) = await TraceFields.$current.withValue(fields) {
      guard let span else { return await outcome(of: request) }
      return await ServiceContext.withValue(span.context) { await outcome(of: request) }
    }
    if let span { spans?.end(span, status: response.status, failure) }
    finish(&response, to: request, id: id, since: start, isHit: isHit, failure: failure)
    return response
  }

  /// The response to a request, whether its image was in the cache, and why it failed.
  private func outcome(
    of request: ServiceRequest
  ) async -> (response: ServiceResponse, isHit: Bool?, failure: ServiceError?) {
    do {
      switch request.method {
      case .get, .head:
        let (response, isHit) = try await route(request)
        return (response, isHit, nil)
      case .delete where request.path.hasPrefix("/cache/"): return (try await purge(request), nil, nil)
      case .options: return (.options, nil, nil)
      default: throw ServiceError.methodNotAllowed
      }
    } catch {
      let failure = ServiceError(error)
      return (.failure(failure, showsCause: configuration.showsErrorDetails), nil, failure)
    }
  }

  /// The response with a result that is in memory, without any work; `nil` if ``response(to:)`` has to be called.
  func cachedResponse(to request: ServiceRequest) -> ServiceResponse? {
    guard request.method == .get || request.method == .head, isAuthorized(request), !revalidates(request),
      let result = responses[responseKey(request)]
    else { return nil }
    let start = ContinuousClock.now
    metrics.begin()
    let id = RequestIdentifier.text(of: request.headers)
    var response = result.response(to: request.headers)
    if let spans {
      let path = result.loggedPath ?? log.path.text(request.path)
      spans.end(spans.start(request, id: id, path: path, at: start), status: response.status)
    }
    finish(&response, to: request, id: id, since: start, isHit: true, loggedPath: result.loggedPath)
    return response
  }

  /// Whether a client asks for the current source, where that is allowed.
  private func revalidates(_ request: ServiceRequest) -> Bool {
    configuration.allowsNoCache
      && request.headers[.cacheControl].map { CacheControl(["Cache-Control": $0]).requiresValidation } == true
  }

  /// The date of a response, as text that is made once a second.
  var date: String {
    let now = time.now()
    let second = Int(now.timeIntervalSince1970)
    return lastDate.withLock { last in
      if last.second != second { last = (second, HTTPDate.text(now)) }
      return last.text
    }
  }

  private func responseKey(_ request: ServiceRequest) -> ResponseCache.Key {
    let isChosen = !configuration.automaticFormats.isEmpty
    return ResponseCache.Key(
      path: request.path, accepted: isChosen ? maker.formats.accepted(request.headers[.accept]) : nil,
      hints: hints(request))
  }

  private func hints(_ request: ServiceRequest) -> ClientHints? {
    configuration.usesClientHints ? ClientHints(request.headers) : nil
  }

  /// Counts and logs a response.
  private func finish(
    _ response: inout ServiceResponse, to request: ServiceRequest, id: String, since start: ContinuousClock.Instant,
    isHit: Bool?, loggedPath path: String? = nil, failure: ServiceError? = nil
  ) {
    response.headers[.requestID] = id
    response.allow(configuration.allowedOrigins, for: request.headers[.origin])
    let byteCount = request.method == .head ? 0 : response.body.readableBytes
    let duration = ContinuousClock.now - start
    metrics.end(status: response.status, byteCount: byteCount, duration: duration, isHit: isHit)
    imgproxyMetrics?.end(status: response.status, duration: duration, failure)
    log.record(
      response.status, byteCount: byteCount, duration: duration, isHit: isHit, to: request, id: id, path: path, failure)
  }

  /// Makes ``response(to:)`` report at `/ready` that no more requests should come.
  public func stop() { hasStopped.store(true, ordering: .relaxed) }

  /// Whether no more requests should come.
  var isStopping: Bool { hasStopped.load(ordering: .relaxed) }

  /// Waits while a load balancer notices that no more requests should come.
  func drain() async { try? await time.sleep(for: configuration.drain) }

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
    guard let path = configuration.pathWithoutPrefix(request.path) else { throw ServiceError.notFound }
    switch path {
    case "/metrics" where configuration.metricsAddress != nil: throw ServiceError.notFound
    case "/health", "/ready", "/metrics": return (try monitoring(path), nil)
    case let path where !configuration.healthPath.isEmpty && path == configuration.healthPath:
      return (.text(200, "OK\n"), nil)
    case _ where !isAuthorized(request): throw ServiceError.secretMissing
    case "/", "/favicon.ico", "/gallery.css", "/gallery.js", "/gallery.json":
      return (try await gallery(path), nil)
    case let path where path.hasPrefix("/info/"):
      return (try await info(path.dropFirst(5), request), nil)
    default:
      return try await image(path, request)
    }
  }

  /// The response to a request for the health or the metrics of the service.
  func monitoringResponse(to request: ServiceRequest) -> ServiceResponse {
    do throws(ServiceError) {
      guard [.get, .head].contains(request.method) else { throw .methodNotAllowed }
      return try monitoring(request.path)
    } catch {
      return .failure(error)
    }
  }

  private func monitoring(_ path: String) throws(ServiceError) -> ServiceResponse {
    switch path {
    case "/health": return .text(200, "OK\n")
    case "/ready":
      guard !isStopping else { throw .shuttingDown }
      return .text(200, "OK\n")
    case "/metrics":
      var text = metrics.text(measures: measures, tiers: maker.pipeline.cache.tiers?.statistics ?? [])
      if let imgproxyMetrics {
        text += imgproxyMetrics.text(
          workers: configuration.concurrency, requestCount: metrics.inFlightCount, imageCount: workload.counts.working)
      }
      return .text(200, text, type: "text/plain; version=0.0.4; charset=utf-8")
    default: throw .notFound
    }
  }

  /// Whether the request has the secret, if one is required.
  private func isAuthorized(_ request: ServiceRequest) -> Bool {
    configuration.secret.isEmpty || BearerToken.isValid(configuration.secret, in: request.headers)
  }

  private func image(_ path: String, _ request: ServiceRequest) async throws -> (ServiceResponse, isHit: Bool?) {
    let path = try imagePath(path)
    let (options, identifier) = try parser.options(of: path, hints: hints(request))
    try checkExpiry(options)
    let accept = request.headers[.accept]
    let generation = responses.generation
    let revalidates = revalidates(request)
    let result = try await inTime { [maker] in
      try await maker.result(
        for: path.source, options, identifier: identifier, accept: accept, revalidates: revalidates)
    }
    if result.isFetched { dropResponses(before: options, revalidates) }
    let response = ResultResponse(
      result, options, source: path.publicSource, configuration, sharing: bodies, now: time.now())
    if result.fallbackStatus == nil, options.expires == nil {
      keep(response, for: request, freshness: result.freshness, isCurrent: result.isCurrent, since: generation)
    }
    return (response.response(to: request.headers), result.isHit)
  }

  private func info(_ path: Substring, _ request: ServiceRequest) async throws -> ServiceResponse {
    let path = try imagePath(String(path), isInfo: true)
    let options = try parser.options(of: path).options
    try checkExpiry(options)
    let generation = responses.generation
    let revalidates = revalidates(request)
    let report = try await inTime { [maker] in
      try await maker.report(on: path.source, options, revalidates: revalidates)
    }
    if report.isFetched { dropResponses(before: options, revalidates) }
    let response = try ResultResponse(report, options, configuration, now: time.now())
    if options.expires == nil {
      keep(response, for: request, freshness: report.freshness, isCurrent: report.isCurrent, since: generation)
    }
    return response.response(to: request.headers)
  }

  /// Drops the responses in memory when a source was received that might still have been fresh: some may be of an older image.
  private func dropResponses(before options: ProcessingOptions, _ revalidates: Bool) {
    if revalidates || !options.cacheBuster.isEmpty { responses.removeAll() }
  }

  /// Keeps a response in memory while its source is fresh.
  private func keep(
    _ response: ResultResponse, for request: ServiceRequest, freshness: Duration?,
    isCurrent: (@Sendable () -> Bool)?, since generation: Int
  ) {
    guard let freshness else { return }
    responses.insert(
      response.hit(loggedPath: log.path.text(request.path)), for: responseKey(request), freshness: freshness,
      isCurrent: isCurrent, since: generation)
  }

  private func gallery(_ path: String) async throws -> ServiceResponse {
    guard configuration.showsGallery else { throw ServiceError.notFound }
    if let response = GalleryPage.response(to: path, hasWatermark: configuration.watermark != nil) { return response }
    guard path == "/gallery.json" else { throw ServiceError.notFound }
    guard let folder = configuration.localRoot else { return .text(200, "[]", type: "application/json") }
    let photos = GalleryPhotos(maker: maker)
    return .text(200, try await inTime { try await photos.json(ofFolder: folder) }, type: "application/json")
  }

  private func purge(_ request: ServiceRequest) async throws -> ServiceResponse {
    let purge = CachePurge(
      token: configuration.purgeToken, resolver: maker.resolver, cache: maker.pipeline.cache)
    guard purge.isAuthorized(request.headers) else { throw ServiceError.unauthorized }
    var path = try ImagePath(
      "/_/" + request.path.dropFirst("/cache/".count), encryptionKey: configuration.sourceEncryptionKey)
    path.source = configuration.sourceRewriting.applied(to: path.source)
    // Also if a tier could not be reached.
    defer {
      responses.removeAll()
      bodies.removeAll()
    }
    async let removed = purge.removeAll(of: path.source)
    let isPurgedElsewhere = await purgeNodes.purge(path.source, request.headers)
    let count = try await removed
    guard isPurgedElsewhere else { throw ServiceError.purgeIncomplete }
    return .text(200, "{\"removed\":\(count)}\n", type: "application/json")
  }

  /// The parts of a path whose signature is valid, with the source after rewriting.
  ///
  /// - Parameter isInfo: Whether it may have no options, also where only presets are accepted.
  private func imagePath(_ path: String, isInfo: Bool = false) throws -> ImagePath {
    let signed = try signedPath(path)
    let segments = signed.parts(between: "/").dropFirst(2)
    let hasOptions = !isInfo || segments.first != "plain" && segments.count > 1
    var path = try ImagePath(
      signed, hasPresetsOnly: configuration.acceptsPresetsOnly && hasOptions,
      hasFilename: configuration.hasFilenamesInBase64, encryptionKey: configuration.sourceEncryptionKey)
    path.source = configuration.sourceRewriting.applied(to: path.source)
    return path
  }

  /// The path as it was signed, from a path that a proxy may have rewritten. Its signature, the first segment, is
  /// checked before the rest is parsed.
  private func signedPath(_ path: String) throws(ServiceError) -> String {
    guard let (signature, rest) = ImagePath.signature(in: path) else { return path }
    if configuration.isInsecure || configuration.trustedSignatures.contains(signature) {
      // Otherwise the option would have no effect.
      if configuration.isInsecure, Self.isOption(signature) { throw .signatureMissing }
      return "/\(signature)\(RestoredPath.likely(rest))"
    }
    guard let signed = RestoredPath.candidates(rest).first(where: { signer.isValid(signature, for: $0) }) else {
      throw .invalidSignature
    }
    return "/\(signature)\(signed)"
  }

  /// Whether a segment is an option with an argument.
  private static func isOption(_ segment: String) -> Bool {
    let parts = (segment.removingPercentEncoding ?? segment).parts(between: ":")
    return parts.count > 1 && OptionParser.isOption(parts[0])
  }

  private func checkExpiry(_ options: ProcessingOptions) throws(ServiceError) {
    if let expires = options.expires, time.now().timeIntervalSince1970 >= Double(expires) { throw .expired }
  }

  /// Runs `body` until the deadline.
  private func inTime<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await time.limiting(to: configuration.deadline, orThrow: { ServiceError.deadlineExceeded }, body)
  }

  private var measures: [Measure] {
    let counts = workload.counts
    let statistics = maker.pipeline.cache.statistics[.store]
    return ProcessMetrics.measures + [
      .gauge("halcyon_requests_active", "Requests whose image is looked up, fetched or made.", counts.requests),
      .gauge("halcyon_loads_fetching", "Loads that wait for their source.", counts.fetching),
      .gauge("halcyon_loads_working", "Loads that are decoded and encoded, or wait for that.", counts.working),
      .gauge("halcyon_loads_active", "Loads of the pipeline.", maker.pipeline.activeLoadCount),
      .counter("halcyon_disk_hits_total", "Reads of the disk cache that found an entry.", statistics?.hits ?? 0),
      .gauge(
        "halcyon_memcached_servers_ejected", "Memcached servers that are ejected.", memcached?.ejectedServerCount ?? 0),
      .counter(
        "halcyon_memcached_oversized_total", "Results that were too large for memcached.", memcached?.oversized ?? 0),
    ]
  }

  private var memcached: MemcachedStatistics? {
    maker.pipeline.cache.tiers?.tiers.compactMap { $0.store as? MemcachedStore }.first?.statistics
  }
}
