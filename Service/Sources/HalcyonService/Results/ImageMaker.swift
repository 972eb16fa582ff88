import Foundation
import Halcyon
import HalcyonBackend
import HalcyonPipeline
import HalcyonImaging

/// Makes results with the pipeline.
///
/// Results are cached under the options of their path; the plan is made only once a source has been fetched.
struct ImageMaker: Sendable {
  let pipeline: ImagePipeline
  let configuration: ServiceConfiguration
  let resolver: SourceResolver
  let formats: FormatChoice
  let mark: Bitmap?
  let fallback: FallbackImage?
  private let metrics: ServiceMetrics
  /// Identifies the settings that results depend on.
  private let settingsIdentifier: String

  init(
    pipeline: ImagePipeline, configuration: ServiceConfiguration, resolver: SourceResolver, formats: FormatChoice,
    mark: Bitmap?, fallback: FallbackImage?, metrics: ServiceMetrics
  ) {
    (self.pipeline, self.configuration, self.resolver) = (pipeline, configuration, resolver)
    (self.formats, self.mark, self.metrics) = (formats, mark, metrics)
    self.fallback = fallback
    let quality = configuration.formatQuality.map { "\($0.rawValue)=\($1)" }.sorted().joined(separator: ",")
    settingsIdentifier = """
      q\(configuration.quality) \(quality) \(configuration.stripsMetadata) \(configuration.keepsCopyright) \
      \(mark.map { MarkProcessor($0, .init(opacity: 1), dpr: 1).identifier } ?? "-")
      """
  }

  /// The result for options and a source, or for the fallback image if the source cannot be read.
  ///
  /// - Parameter identifier: Identifies the options that change the result.
  /// - Throws: ``ServiceError``, ``SourceError``, ``PlanError`` or ``ImageError``.
  func result(
    for source: String, _ options: ProcessingOptions, identifier: String, accept: String?
  ) async throws -> ImageResult {
    do {
      let request = try resolver.request(for: source)
      var result = try await result(for: request, options, identifier: identifier, accept: accept)
      result.isCurrent = resolver.isCurrent(source, request)
      return result
    } catch {
      let error = ServiceError(error)
      guard let fallback, error.isFaultOfSource,
        var result = try? await result(
          for: try fallback.request(), options, identifier: identifier, accept: accept)
      else { throw error }
      result.fallbackStatus = fallback.status ?? error.status
      return result
    }
  }

  /// The properties of a source, and the bytes of its file.
  func info(for source: String) async throws -> (info: ImageInfo, byteCount: Int) {
    var request = try resolver.request(for: source)
    request.timeout = configuration.deadline
    let data = try await pipeline.data(for: request)
    return (try await pipeline.info(for: ImageRequest(source: .data(data))), data.count)
  }

  private func result(
    for request: ImageRequest, _ options: ProcessingOptions, identifier: String, accept: String?
  ) async throws -> ImageResult {
    let format = options.format ?? formats.format(accept: accept)
    if let format, !formats.writable.contains(format) { throw ServiceError.unwritableFormat(format) }
    var request = request
    request.timeout = configuration.deadline
    let response = try await pipeline.encodedResponse(
      for: request, planIdentifier: "\(settingsIdentifier) \(format?.rawValue ?? "-") \(identifier)"
    ) { info in
      try plan(for: info, options, format)
    }
    return ImageResult(
      data: response.data, format: ImageFormat(sniffing: response.data) ?? format ?? .jpeg, isHit: response.wasStored,
      storeTier: response.storeTier, head: response.head,
      dependsOnAccept: options.format == nil && !configuration.automaticFormats.isEmpty,
      freshness: response.freshness)
  }

  /// How the result is made from a source; `nil` for the source as it is.
  private func plan(
    for source: ImageInfo, _ options: ProcessingOptions, _ chosen: ImageFormat?
  ) throws -> EncodingPlan? {
    let isSkipped = options.skippedFormats.contains(source.format)
    if options.raw || isSkipped && (options.format == nil || options.format == source.format) {
      guard source.format != .svg || configuration.sendsSVG else { throw ServiceError.svgNotSent }
      return nil
    }
    let plan = try ProcessingPlan(
      options, source: source.pixelSize, isVector: source.format == .svg, sideLimit: configuration.resultSideLimit,
      mark: mark)
    let format = chosen ?? formats.format(of: source)
    metrics.countDecode()
    var encoding = EncodingPlan(
      size: plan.decodingSize, processors: plan.processors, format: format, quality: quality(options, format),
      byteLimit: options.maxBytes > 0 ? options.maxBytes : nil, metadata: metadata(options, format))
    encoding.processingByteCount = plan.processingByteCount
    return encoding
  }

  private func metadata(_ options: ProcessingOptions, _ format: ImageFormat) -> MetadataPolicy {
    // Encoders of other formats write none.
    guard [.jpeg, .png, .webp].contains(format) else { return .strip }
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
