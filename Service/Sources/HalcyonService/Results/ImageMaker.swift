import Foundation
import Halcyon
import HalcyonBackend
import HalcyonCodecs
import HalcyonPipeline
@_spi(Programs) import HalcyonImaging
import HalcyonProcessing
@_spi(Programs) import HalcyonSupport

/// Makes results with the pipeline.
///
/// Results are cached under the options of their path; the plan is made only once a source has been fetched.
struct ImageMaker: Sendable {
  let pipeline: ImagePipeline
  let configuration: ServiceConfiguration
  let resolver: SourceResolver
  let formats: FormatRules
  let mark: Bitmap?
  let fallback: FallbackImage?
  private let workload: Workload
  private let time: any TimeSource
  /// The cachebusters with which sources were revalidated, by source and text.
  private let busters = RecentTable<String, Bool>(costLimit: 4 << 20)
  private let metrics: ServiceMetrics
  /// Identifies the settings that results depend on.
  private let settingsIdentifier: String

  init(
    pipeline: ImagePipeline, configuration: ServiceConfiguration, resolver: SourceResolver, formats: FormatRules,
    mark: Bitmap?, fallback: FallbackImage?, workload: Workload, time: any TimeSource, metrics: ServiceMetrics
  ) {
    (self.pipeline, self.configuration, self.resolver) = (pipeline, configuration, resolver)
    (self.formats, self.mark, self.metrics) = (formats, mark, metrics)
    (self.fallback, self.workload, self.time) = (fallback, workload, time)
    settingsIdentifier = Self.settingsIdentifier(configuration, mark)
  }

  /// Identifies the settings that results depend on.
  static func settingsIdentifier(_ configuration: ServiceConfiguration, _ mark: Bitmap?) -> String {
    let quality = configuration.formatQuality.map { "\($0.rawValue)=\($1)" }.sorted().joined(separator: ",")
    let skipped = configuration.skippedFormats.map(\.rawValue).sorted().joined(separator: ",")
    let preferred = configuration.preferredFormats.map(\.rawValue).joined(separator: ",")
    let enforced = configuration.enforcedFormats.map(\.rawValue).sorted().joined(separator: ",")
    return """
      \(configuration.encoders) c\(configuration.pngColorLimit ?? 0) v\(configuration.drawsSVG) \
      \(configuration.sanitizesSVG) d\(configuration.resultDimension) f\(configuration.animationFrameLimit) \
      l\(configuration.slowFormatPixelLimit) o\(configuration.watermarkOpacity) \(skipped) \(preferred) e\(enforced) q\(configuration.quality) \(quality) \
      \(configuration.autoRotates ? "" : "a0 ")\(configuration.stripsMetadata) \(configuration.keepsCopyright) \(configuration.stripsColorProfile) \(configuration.preservesHDR ? "h " : "")\
      \(mark.map { BuiltInProcessor.watermark($0).identifier } ?? "-")
      """
  }

  /// The result for options and a source, or for the fallback image if the source cannot be read.
  ///
  /// - Parameters:
  ///   - identifier: Identifies the options that change the result.
  ///   - revalidates: Whether the source is revalidated also for a stored result.
  /// - Throws: ``ServiceError``, ``SourceError``, ``PlanError`` or ``ImageError``.
  func result(
    for source: String, _ options: ProcessingOptions, identifier: String, accepted: FormatRules.Accepted,
    revalidates: Bool = false
  ) async throws -> ImageResult {
    do {
      var request = try resolver.request(for: source)
      if revalidates { request.cachePolicy = .revalidate }
      let (buster, isNew) = buster(options, of: source)
      var result = try await result(
        for: request, options, identifier: buster.isEmpty ? identifier : "\(identifier)/cb:\(buster)",
        accepted: accepted,
        sourcePolicy: isNew ? .revalidate : nil)
      if isNew { remember(buster, of: source) }
      result.isCurrent = resolver.isCurrent(source, request)
      return result
    } catch {
      let error = ServiceError(error)
      var options = options
      options.sourceByteLimit = nil
      guard let fallback, fallback.standsIn(for: error),
        var result = try? await result(
          for: try fallback.request(), options, identifier: identifier, accepted: accepted)
      else { throw error }
      result.fallbackStatus = fallback.status ?? error.status
      return result
    }
  }

  /// The text that makes a URL a new one, and whether the source was not revalidated for it yet.
  private func buster(_ options: ProcessingOptions, of source: String) -> (text: String, isNew: Bool) {
    let text = options.cacheBuster
    return (text, !text.isEmpty && busters[source + "\n" + text] == nil)
  }

  private func remember(_ buster: String, of source: String) {
    let key = source + "\n" + buster
    busters.insert(true, for: key, cost: key.utf8.count + 64)
  }

  /// The properties of a source, and the size of its file in bytes.
  func info(for source: String) async throws -> (info: ImageInfo, byteCount: Int) {
    let report = try await report(on: source, ProcessingOptions(), hasHashes: false)
    return (report.info, report.byteCount)
  }

  /// The properties of a source, the size of its file in bytes and, if wanted, its placeholders, for which it is decoded.
  func report(
    on source: String, _ options: ProcessingOptions, hasHashes: Bool = true, revalidates: Bool = false
  ) async throws -> SourceReport {
    var request = try resolver.request(for: source)
    request.timeout = configuration.deadline
    let (buster, isNew) = buster(options, of: source)
    if revalidates || isNew { request.cachePolicy = .revalidate }
    var report = try await loading(request, hasHashes ? "report" : "info") { [pipeline, request] ticket in
      let response = try await pipeline.encodedResponse(for: request, planIdentifier: "report") { _ in
        try ticket.beginWork()
        return nil
      }
      try ticket.beginWork()
      let file = ImageRequest(source: .data(response.data), size: .fit(width: 100, height: 100))
      let info = try await pipeline.info(for: file)
      // A file with an intact head and damaged pixels has properties too.
      let small = hasHashes ? try? await pipeline.image(for: file).bitmap : nil
      try Task.checkCancellation()
      return SourceReport(info: info, response, small: small)
    }
    if isNew { remember(buster, of: source) }
    report.isCurrent = resolver.isCurrent(source, request)
    return report
  }

  private func result(
    for request: ImageRequest, _ options: ProcessingOptions, identifier: String, accepted: FormatRules.Accepted,
    sourcePolicy: CachePolicy? = nil
  ) async throws -> ImageResult {
    // Only SVG is sent as SVG.
    if let named = options.format, named != .svg,
      !formats.writable.contains(formats.format(named: named, accepted.still))
    {
      throw ServiceError.unwritableFormat(named)
    }
    var request = request
    request.timeout = configuration.deadline
    if !(options.stripsColorProfile ?? configuration.stripsColorProfile) { request.colorSpace = .source }
    if options.preservesHDR ?? configuration.preservesHDR { request.dynamicRange = .high }
    let named = options.format?.rawValue ?? "-"
    let choices = [accepted.still, frameLimit(options) > 1 ? accepted.animated : nil].map { $0?.rawValue ?? "-" }
    let planIdentifier = "\(settingsIdentifier) \(named) \(choices.joined(separator: " ")) \(identifier)"
    let response = try await loading(request, planIdentifier) { [request] ticket in
      try await fittingResponse(for: request, planIdentifier, sourcePolicy, options) { info in
        let plan = try plan(for: info, options, accepted)
        try ticket.beginWork()
        return plan
      }
    }
    return ImageResult(
      data: response.data, format: ImageFormat(sniffing: response.data) ?? options.format ?? .jpeg,
      isHit: response.wasStored, isFetched: response.origin == .network,
      storeTier: response.storeTier, head: response.head,
      dependsOnAccept: options.format == nil && !configuration.automaticFormats.isEmpty
        || !configuration.enforcedFormats.isEmpty,
      freshness: response.freshness)
  }

  /// The encoded image of a plan, with a lower quality if it is over the plan's limit of bytes.
  private func fittingResponse(
    for request: ImageRequest, _ planIdentifier: String, _ sourcePolicy: CachePolicy?, _ options: ProcessingOptions,
    plan: @escaping @Sendable (ImageInfo) throws -> Rendition?
  ) async throws -> EncodedImageResponse {
    func response(byteLimit: Int?) async throws -> EncodedImageResponse {
      try await pipeline.encodedResponse(
        for: request, planIdentifier: planIdentifier, sourcePolicy: sourcePolicy,
        sourceByteLimit: options.sourceByteLimit
      ) { info in
        var plan = try plan(info)
        if let byteLimit { plan?.encoding?.byteLimit = byteLimit }
        return plan
      }
    }
    do {
      return try await response(byteLimit: nil)
    } catch ImageError.failed(ImageEncodingError.overByteLimit(_, let smallest, _), _) {
      return try await response(byteLimit: smallest)
    } catch ImageError.responseTooLarge(let limit, _) where limit == options.sourceByteLimit {
      throw PlanError.sourceTooLong(byteLimit: limit)
    }
  }

  /// Runs a load, until its source has taken too long.
  ///
  /// - Parameter purpose: Identifies what is made of the source.
  private func loading<Result: Sendable>(
    _ request: ImageRequest, _ purpose: String, _ body: @escaping @Sendable (WorkloadTicket) async throws -> Result
  ) async throws -> Result {
    try await workload.run("\(request.source) \(request.identity ?? "") \(purpose)") { ticket in
      guard configuration.sourceTimeout < configuration.deadline else { return try await body(ticket) }
      return try await time.limiting(
        to: configuration.sourceTimeout,
        orThrow: { [workload] in
          ticket.isWorking || workload.waitingTransferCount > 0 ? nil : SourceError.timedOut
        }, every: .seconds(1)
      ) {
        try await body(ticket)
      }
    }
  }

  /// How the result is made from a source; `nil` for the source as it is.
  private func plan(
    for source: ImageInfo, _ options: ProcessingOptions, _ accepted: FormatRules.Accepted
  ) throws -> Rendition? {
    let isSkipped = options.skippedFormats.union(configuration.skippedFormats).contains(source.format)
    if options.raw || isSkipped && (options.format == nil || options.format == source.format) {
      try check(source, frameCount: 1, options)
      guard source.format != .svg || !options.raw || configuration.sendsSVG else { throw ServiceError.svgNotSent }
      return options.raw ? nil : document(source)
    }
    if source.format == .svg, options.format == .svg || options.format == nil && !configuration.drawsSVG {
      return document(source)
    }
    if options.format == .svg { throw ServiceError.unwritableFormat(.svg) }
    let (format, frameCount) = form(of: source, options, accepted)
    try check(source, frameCount: frameCount, options)
    guard let plan = try processingPlan(for: source, frameCount: frameCount, options, format) else {
      return try self.plan(
        for: source, inFasterFormat(options, source, frameCount: frameCount),
        FormatRules.Accepted(still: nil, animated: nil))
    }
    metrics.countDecode()
    var encoding = Rendition.Encoding(
      as: format, quality: quality(options, format),
      byteLimit: options.maxBytes > 0 && format.abilities.isLossy ? options.maxBytes : nil,
      metadata: metadata(options, format))
    encoding.colorLimit = colorLimit(source, format)
    return plan.rendition(encoding, frameLimit: frameCount)
  }

  /// The plan of a result; `nil` if it is too large for the format, which the URL does not name.
  private func processingPlan(
    for source: ImageInfo, frameCount: Int, _ options: ProcessingOptions, _ format: ImageFormat
  ) throws(PlanError) -> ProcessingPlan? {
    do throws(PlanError) {
      return try ProcessingPlan(
        options.with(watermarkOpacity: configuration.watermarkOpacity), source: source.pixelSize,
        undoing: undoneOrientation(source, options), isVector: source.format.abilities.isVector,
        isAnimated: frameCount > 1,
        sideLimit: configuration.resultSideLimit,
        pixelLimit: format.abilities.isSlow ? configuration.slowFormatPixelLimit : .max,
        dimension: configuration.resultDimension, mark: mark)
    } catch {
      if case .tooLarge = error, format.abilities.isSlow, options.format != format { return nil }
      throw error
    }
  }

  /// The options with a format whose encoder can be stopped.
  private func inFasterFormat(
    _ options: ProcessingOptions, _ source: ImageInfo, frameCount: Int
  ) -> ProcessingOptions {
    guard options.format == nil else { return options }
    let isTransparent = isTransparent(source, options)
    let other = formats.format(of: source, isAnimated: frameCount > 1, isTransparent: isTransparent)
    var options = options
    options.format = other.abilities.isSlow ? (isTransparent ? .png : .jpeg) : other
    return options
  }

  /// How a source is sent as it is: SVG sanitised, others without any change.
  private func document(_ source: ImageInfo) -> Rendition? {
    guard source.format == .svg, configuration.sanitizesSVG else { return nil }
    metrics.countDecode()
    return Rendition(encoding: Rendition.Encoding(as: .svg))
  }

  /// The format of a result, and how many frames it has.
  private func form(
    of source: ImageInfo, _ options: ProcessingOptions, _ accepted: FormatRules.Accepted
  ) -> (format: ImageFormat, frameCount: Int) {
    let frameCount = min(source.frameCount, frameLimit(options))
    let chosen = frameCount > 1 ? accepted.animated : accepted.still
    let format =
      options.format.map { formats.format(named: $0, chosen) } ?? chosen
      ?? formats.format(of: source, isAnimated: frameCount > 1, isTransparent: isTransparent(source, options))
    return (format, format.abilities.canBeAnimated ? frameCount : 1)
  }

  /// The orientation of a file whose stored pixels are asked for. Those of HEIF files are defined as the turned ones.
  private func undoneOrientation(_ source: ImageInfo, _ options: ProcessingOptions) -> ImageOrientation {
    let isApplied = options.autoRotate ?? configuration.autoRotates
    return isApplied || source.format.abilities.definesUprightPixels ? .up : source.orientation
  }

  private func isTransparent(_ source: ImageInfo, _ options: ProcessingOptions) -> Bool {
    options.background == nil && (source.hasAlpha || options.addsPixels)
  }

  /// The most colours: a source with a colour table has a result with one.
  private func colorLimit(_ source: ImageInfo, _ format: ImageFormat) -> Int? {
    guard format == .png else { return nil }
    return configuration.pngColorLimit ?? (source.colorModel == .palette ? 256 : nil)
  }

  /// The most frames of an animation.
  private func frameLimit(_ options: ProcessingOptions) -> Int {
    options.animationFrameLimit ?? configuration.animationFrameLimit
  }

  /// Checks the pixels of a source: the sum over all frames that are used, or each frame if frames have a limit of
  /// their own.
  private func check(_ source: ImageInfo, frameCount: Int, _ options: ProcessingOptions) throws(PlanError) {
    guard source.format != .svg else { return }
    let size = source.pixelSize
    let frameLimit = options.animationPixelLimit ?? configuration.animationPixelLimit
    if frameCount > 1, frameLimit > 0 {
      guard size.pixelCount <= frameLimit else { throw .framesTooLarge(size, pixelLimit: frameLimit) }
      return
    }
    let limit = options.sourcePixelLimit ?? configuration.limits.pixelCount
    guard size.pixelCount <= limit else { throw .sourceTooLarge(size, pixelLimit: limit) }
    guard frameCount <= limit / max(1, size.pixelCount) else {
      throw .tooManyPixels(frameCount: frameCount, size, pixelLimit: limit)
    }
  }

  private func metadata(_ options: ProcessingOptions, _ format: ImageFormat) -> MetadataPolicy {
    guard format.abilities.carriesMetadata else { return .strip }
    guard options.stripsMetadata ?? configuration.stripsMetadata else { return .keep }
    return options.keepsCopyright ?? configuration.keepsCopyright ? .copyright : .strip
  }

  private func quality(_ options: ProcessingOptions, _ format: ImageFormat) -> Double {
    let percent =
      options.quality > 0
      ? options.quality
      : options.formatQuality[format] ?? configuration.formatQuality[format] ?? configuration.quality
    return Double(percent) / 100
  }
}
