import Foundation
import Halcyon
import HalcyonImaging

/// Makes results with the pipeline.
struct ImageMaker: Sendable {
  let pipeline: ImagePipeline
  let configuration: ServiceConfiguration
  let resolver: SourceResolver
  let formats: FormatChoice
  let mark: Bitmap?

  /// The result for options and a source.
  ///
  /// - Throws: ``ServiceError``, ``SourceError``, ``PlanError`` or ``ImageError``.
  func result(for source: String, _ options: ProcessingOptions, accept: String?) async throws -> ImageResult {
    var request = try resolver.request(for: source)
    request.options.timeout = configuration.deadline
    if options.raw { return try await original(request) }
    let chosen = options.format ?? formats.format(accept: accept)
    var result: ImageResult
    if let chosen, options.skippedFormats.isEmpty, let plan = try plan(independentOfSource: options) {
      result = try await encoded(request, plan, as: chosen, options)
    } else {
      result = try await resultForKnownSource(request, options, chosen)
    }
    result.dependsOnAccept = options.format == nil && !configuration.automaticFormats.isEmpty
    return result
  }

  /// The properties of a source, and the bytes of its file.
  func info(for source: String) async throws -> (info: ImageInfo, byteCount: Int) {
    var request = try resolver.request(for: source)
    request.options.timeout = configuration.deadline
    let info = try await pipeline.info(for: request)
    return (info, try await pipeline.data(for: request).count)
  }

  private func plan(independentOfSource options: ProcessingOptions) throws(PlanError) -> ProcessingPlan? {
    try ProcessingPlan(independentOfSource: options, sideLimit: configuration.resultSideLimit, mark: mark)
  }

  private func resultForKnownSource(
    _ request: ImageRequest, _ options: ProcessingOptions, _ chosen: ImageFormat?
  ) async throws -> ImageResult {
    let info = try await pipeline.info(for: request)
    if options.skippedFormats.contains(info.format), options.format == nil || options.format == info.format {
      return try await original(request)
    }
    let plan = try ProcessingPlan(
      options, source: info.pixelSize, isVector: info.format == .svg, sideLimit: configuration.resultSideLimit,
      mark: mark)
    return try await encoded(request, plan, as: chosen ?? formats.format(of: info), options)
  }

  private func encoded(
    _ request: ImageRequest, _ plan: ProcessingPlan, as format: ImageFormat, _ options: ProcessingOptions
  ) async throws -> ImageResult {
    guard formats.writable.contains(format) else { throw ServiceError.unwritableFormat(format) }
    var request = request
    request.size = plan.decodingSize
    request.processors = plan.processor.map { [$0] } ?? []
    let response = try await pipeline.encodedResponse(
      for: request, as: format, quality: quality(options, format),
      byteLimit: options.maxBytes > 0 ? options.maxBytes : nil)
    return ImageResult(data: response.data, format: format, isHit: response.wasStored, head: response.head)
  }

  /// The source as it is, if it is an image.
  private func original(_ request: ImageRequest) async throws -> ImageResult {
    let isHit = await pipeline.cachedTier(for: request) != nil
    let info = try await pipeline.info(for: request)
    guard info.format != .svg || configuration.sendsSVG else { throw ServiceError.svgNotSent }
    let data = try await pipeline.data(for: request)
    let metadata = try? await pipeline.storedMetadata(for: request)
    let head = metadata.map { ResponseHead(url: $0.url ?? URL(filePath: "/"), status: $0.status, headers: $0.headers) }
    return ImageResult(data: data, format: info.format, isHit: isHit, head: head)
  }

  private func quality(_ options: ProcessingOptions, _ format: ImageFormat) -> Double {
    let percent =
      options.quality > 0
      ? options.quality
      : options.formatQuality[format] ?? configuration.formatQuality[format] ?? configuration.quality
    return Double(percent) / 100
  }
}
