public import Foundation
import HTTPTypes
public import Halcyon
import HalcyonCodecs
public import Logging
import Synchronization

/// An image service without its sockets: responds to requests with images, their properties, its health and metrics.
public final class ImageService: Sendable {
  private let configuration: ServiceConfiguration
  private let signer: URLSigner
  private let parser: OptionParser
  private let maker: ImageMaker
  private let limiter: AdmissionLimiter
  private let metrics = ServiceMetrics()
  private let logger: Logger
  private let time: any TimeSource
  private let isStopping = Atomic(false)

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
    limiter = AdmissionLimiter(limit: configuration.concurrency, queueLength: configuration.queueLength)
    let resolver = SourceResolver(configuration)
    let pipeline = ImagePipeline(service: configuration, resolver: resolver, drawingProgram: drawingProgram)
    var mark: Bitmap?
    if let file = configuration.watermark { mark = try await pipeline.image(for: file).bitmap }
    let formats = FormatChoice(
      automatic: configuration.automaticFormats, writable: pipeline.supportedFormats.writable)
    maker = ImageMaker(
      pipeline: pipeline, configuration: configuration, resolver: resolver, formats: formats, mark: mark)
  }

  /// The response to a request; errors are responses as well. Cancelling the task ends the work for it.
  public func response(to request: ServiceRequest) async -> ServiceResponse {
    let start = ContinuousClock.now
    let id = Self.requestID(request.headers)
    metrics.begin()
    var isHit: Bool?
    var response: ServiceResponse
    do {
      switch request.method {
      case .get, .head: response = try await route(request, &isHit)
      case .delete where request.path.hasPrefix("/cache/"): response = try await purge(request)
      default: throw ServiceError.methodNotAllowed
      }
    } catch {
      response = .failure(ServiceError(error))
      logger.debug("Failed", metadata: ["id": "\(id)", "error": "\(error)"])
    }
    response.headers[.requestID] = id
    let duration = ContinuousClock.now - start
    let byteCount = request.method == .head ? 0 : response.body.count
    metrics.end(status: response.status, byteCount: byteCount, duration: duration, isHit: isHit)
    logger.info(
      "Responded",
      metadata: [
        "id": "\(id)", "method": "\(request.method)", "status": "\(response.status)", "bytes": "\(byteCount)",
        "ms": "\((duration / .milliseconds(1) * 100).rounded() / 100)",
        "cache": "\(isHit.map { $0 ? "hit" : "miss" } ?? "-")",
      ])
    return response
  }

  /// Makes ``response(to:)`` report at `/ready` that no more requests should come.
  public func stop() { isStopping.store(true, ordering: .relaxed) }

  /// Waits until all results made so far are in the cache.
  public func flush() async { await maker.pipeline.cache.flush() }

  /// Ends the work of the service, and waits until its cache is written.
  public func close() async {
    stop()
    await maker.pipeline.cache.flush()
    maker.pipeline.invalidate()
  }

  private func route(_ request: ServiceRequest, _ isHit: inout Bool?) async throws -> ServiceResponse {
    switch request.path {
    case "/health":
      return .text(200, "OK\n")
    case "/ready":
      guard !isStopping.load(ordering: .relaxed) else { throw ServiceError.shuttingDown }
      return .text(200, "OK\n")
    case "/metrics":
      return .text(200, metrics.text(gauges: gauges), type: "text/plain; version=0.0.4; charset=utf-8")
    case "/", "/favicon.ico", "/gallery.css", "/gallery.js", "/gallery.json":
      return try await gallery(request.path)
    case let path where path.hasPrefix("/info/"):
      return try await info(path.dropFirst(5))
    default:
      return try await image(request, &isHit)
    }
  }

  private func image(_ request: ServiceRequest, _ isHit: inout Bool?) async throws -> ServiceResponse {
    let path = try signed(ImagePath(request.path, hasPresetsOnly: configuration.acceptsPresetsOnly))
    let options = try parser.options(of: path)
    try checkExpiry(options)
    let accept = request.headers[.accept]
    let result = try await working { [maker] in try await maker.result(for: path.source, options, accept: accept) }
    isHit = result.isHit
    return ResultResponse(configuration: configuration)
      .response(result, options, source: path.source, to: request.headers)
  }

  private func info(_ path: Substring) async throws -> ServiceResponse {
    let path = try signed(ImagePath(String(path)))
    try checkExpiry(try parser.options(of: path))
    let (info, byteCount) = try await working { [maker] in try await maker.info(for: path.source) }
    let report = SourceReport(info, byteCount: byteCount)
    var response = ServiceResponse.text(200, try report.json(), type: "application/json")
    response.headers[.cacheControl] = "public, max-age=\(configuration.timeToLive)"
    return response
  }

  private func gallery(_ path: String) async throws -> ServiceResponse {
    guard configuration.showsGallery else { throw ServiceError.notFound }
    switch path {
    case "/": return .page(GalleryPage.html, type: "text/html; charset=utf-8")
    case "/gallery.css": return .page(GalleryStyle.css, type: "text/css; charset=utf-8")
    case "/gallery.js": return .page(GalleryScript.javaScript, type: "text/javascript; charset=utf-8")
    case "/gallery.json":
      guard let folder = configuration.localRoot else { return .text(200, "[]", type: "application/json") }
      let photos = GalleryPhotos(folder: folder, maker: maker)
      return .text(200, try await working { try await photos.json() }, type: "application/json")
    default: throw ServiceError.notFound
    }
  }

  private func purge(_ request: ServiceRequest) async throws -> ServiceResponse {
    let purge = CachePurge(
      token: configuration.purgeToken, resolver: maker.resolver, cache: maker.pipeline.cache)
    guard purge.isAuthorized(request.headers) else { throw ServiceError.unauthorized }
    let path = try ImagePath("/_/" + request.path.dropFirst("/cache/".count))
    return .text(200, "{\"removed\":\(try await purge.removeAll(of: path.source))}\n", type: "application/json")
  }

  /// The path, if its signature is valid.
  private func signed(_ path: ImagePath) throws(ServiceError) -> ImagePath {
    guard configuration.isInsecure || signer.isValid(path.signature, for: path.signedPart) else {
      throw .invalidSignature
    }
    return path
  }

  private func checkExpiry(_ options: ProcessingOptions) throws(ServiceError) {
    if let expires = options.expires, time.now().timeIntervalSince1970 >= Double(expires) { throw .expired }
  }

  /// Runs `body` when a permit is free, until the deadline.
  private func working<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { [limiter, time, configuration] group in
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
    let statistics = maker.pipeline.cache.statistics.disk
    return [
      ("halcyon_requests_active", "Requests that are worked on.", Double(counts.active)),
      ("halcyon_requests_waiting", "Requests that wait for a permit.", Double(counts.waiting)),
      ("halcyon_loads_active", "Loads of the pipeline.", Double(maker.pipeline.activeLoadCount)),
      ("halcyon_disk_hits", "Reads of the disk cache that found an entry.", Double(statistics?.hits ?? 0)),
    ]
  }

  /// The identifier that the client sent, if it is harmless, or a new one.
  private static func requestID(_ headers: HTTPFields) -> String {
    let given = headers[.requestID] ?? ""
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
    let isValid = (1...64).contains(given.utf8.count) && given.utf8.allSatisfy(letters.contains)
    return isValid ? given : UUID().uuidString
  }
}
