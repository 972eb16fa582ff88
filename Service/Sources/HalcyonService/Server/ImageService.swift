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
import Synchronization
public import Tracing

/// An image service without its sockets: responds to requests with images, their properties, its health and metrics.
public final class ImageService: Sendable {
  private let configuration: ServiceConfiguration
  private let paths: PathReader
  private let parser: OptionParser
  private let maker: ImageMaker
  private let purgeNodes: PurgeNodes
  /// The health and the metrics.
  let monitor: ServiceMonitor
  private let metrics = ServiceMetrics()
  private let log: RequestLog
  private let spans: RequestSpans?
  private let imgproxyMetrics: ImgproxyMetrics?
  private let time: any TimeSource
  private let responses: ResponseCache
  private let bodies: SharedBodies
  private let lastDate = Mutex((second: Int.min, text: ""))
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
    paths = PathReader(configuration)
    parser = OptionParser(
      presets: configuration.presets, acceptsPresetsOnly: configuration.acceptsPresetsOnly,
      acceptsLimits: configuration.allowsSecurityOptions, allowed: Set(configuration.allowedOptions))
    purgeNodes = PurgeNodes(configuration, logger: logger)
    let workload = Workload(
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
      automatic: configuration.automaticFormats, enforced: Set(configuration.enforcedFormats),
      preferred: configuration.preferredFormats,
      writable: StandardCodecs.writable)
    maker = ImageMaker(
      pipeline: pipeline, configuration: configuration, resolver: resolver, formats: formats, mark: mark,
      fallback: fallback, workload: workload, time: time, metrics: metrics)
    monitor = ServiceMonitor(
      configuration, metrics: metrics, imgproxyMetrics: imgproxyMetrics, workload: workload, pipeline: pipeline)
    let tiers = pipeline.cache.tiers?.tiers ?? []
    bucketCheck = Task { await Self.checkBuckets(of: tiers, logger) }
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
      case .delete:
        // With or without the prefix of other paths.
        let paths = [request.path, configuration.pathWithoutPrefix(request.path)].compactMap(\.self)
        guard let path = paths.first(where: { $0.hasPrefix("/cache/") }) else { throw ServiceError.methodNotAllowed }
        return (try await purge(path.dropFirst("/cache/".count), request.headers), nil, nil)
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
    guard request.method == .get || request.method == .head, !revalidates(request),
      let result = responses[responseKey(request)], isAuthorized(request)
    else { return nil }
    let start = ContinuousClock.now
    metrics.begin()
    let id = RequestIdentifier.text(of: request.headers)
    var response = result.response(to: request)
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
    ResponseCache.Key(
      path: request.path, accepted: maker.formats.accepted(request.headers[.accept]), hints: hints(request))
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
  public func stop() { monitor.stop() }

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
    if path == "/metrics", configuration.metricsAddress != nil { throw ServiceError.notFound }
    if let response = try monitor.response(at: path) { return (response, nil) }
    guard isAuthorized(request) else { throw ServiceError.secretMissing }
    switch path {
    case "/", "/favicon.ico", "/gallery.css", "/gallery.js", "/gallery.json":
      return (try await gallery(path), nil)
    case let path where path.hasPrefix("/info/"):
      return (try await info(path.dropFirst(5), request), nil)
    default:
      return try await image(path, request)
    }
  }

  /// Whether the request has the secret, if one is required.
  private func isAuthorized(_ request: ServiceRequest) -> Bool {
    configuration.secret.isEmpty || BearerToken.isValid(configuration.secret, in: request.headers)
  }

  private func image(_ path: String, _ request: ServiceRequest) async throws -> (ServiceResponse, isHit: Bool?) {
    let path = try paths.imagePath(path)
    let key = responseKey(request)
    let (options, identifier) = try parser.options(of: path, hints: key.hints)
    try checkExpiry(options)
    let generation = responses.generation
    let revalidates = revalidates(request)
    let result = try await inTime { [maker] in
      try await maker.result(
        for: path.source, options, identifier: identifier, accepted: key.accepted, revalidates: revalidates)
    }
    if result.isFetched { dropResponses(before: options, revalidates) }
    let response = ResultResponse(
      result, options, source: path.publicSource, configuration, sharing: bodies, now: time.now())
    if result.fallbackStatus == nil, options.expires == nil {
      keep(response, for: key, freshness: result.freshness, isCurrent: result.isCurrent, since: generation)
    }
    return (response.response(to: request), result.isHit)
  }

  private func info(_ path: Substring, _ request: ServiceRequest) async throws -> ServiceResponse {
    let path = try paths.imagePath(String(path), isInfo: true)
    let key = responseKey(request)
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
      keep(response, for: key, freshness: report.freshness, isCurrent: report.isCurrent, since: generation)
    }
    return response.response(to: request)
  }

  /// Drops the responses in memory when a source was received that might still have been fresh: some may be of an older image.
  private func dropResponses(before options: ProcessingOptions, _ revalidates: Bool) {
    if revalidates || !options.cacheBuster.isEmpty { responses.removeAll() }
  }

  /// Keeps a response in memory while its source is fresh.
  private func keep(
    _ response: ResultResponse, for key: ResponseCache.Key, freshness: Duration?,
    isCurrent: (@Sendable () -> Bool)?, since generation: Int
  ) {
    guard let freshness else { return }
    responses.insert(
      response.hit(loggedPath: log.path.text(key.path)), for: key, freshness: freshness,
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

  private func purge(_ source: Substring, _ headers: HTTPFields) async throws -> ServiceResponse {
    let purge = CachePurge(
      token: configuration.purgeToken, resolver: maker.resolver, cache: maker.pipeline.cache)
    guard purge.isAuthorized(headers) else { throw ServiceError.unauthorized }
    var path = try ImagePath("/_/" + source, encryptionKey: configuration.sourceEncryptionKey)
    path.source = configuration.sourceRewriting.applied(to: path.source)
    // Also if a tier could not be reached.
    defer {
      responses.removeAll()
      bodies.removeAll()
    }
    async let removed = purge.removeAll(of: path.source)
    let isPurgedElsewhere = await purgeNodes.purge(path.source, headers)
    let count = try await removed
    guard isPurgedElsewhere else { throw ServiceError.purgeIncomplete }
    return .text(200, "{\"removed\":\(count)}\n", type: "application/json")
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
}
