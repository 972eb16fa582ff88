public import Foundation
public import HalcyonImaging
import HalcyonCache
package import HalcyonHTTP
import HalcyonSupport

extension ImagePipeline {
  /// The image of a request, downsampled and processed, as a file of a format: what a thumbnail server sends.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url, size: .fill(width: 320, height: 240))
  /// let thumbnail = try await pipeline.encodedData(for: request, as: .webp)
  /// ```
  ///
  /// The file is kept in the store, and later calls read it there without decoding anything, as long as the response
  /// that it was made from is fresh; the original bytes are stored unless
  /// ``RequestOptions/storage`` keeps none. Equal calls
  /// in flight share one load and one encoding, which runs on the threads of the pipeline. Memory is neither read nor
  /// written. The file has the pixels as they are shown, upright and in the colour space of the request; of an animation it has the first frame. What is made
  /// of a local file is stored until the file is written again; what is made of data that the request contains is not.
  ///
  /// - Parameters:
  ///   - request: The image to encode, with its size and processors.
  ///   - format: A format of the encoders of the pipeline. It replaces ``RequestOptions/storage``.
  ///   - quality: The quality of lossy formats, from 0 (smallest) to 1 (best).
  ///   - byteLimit: The most bytes of the file: the best quality that fits is used, at most `quality`. Default: no limit.
  ///   - metadata: The metadata of the original file that the file gets, if `format` is JPEG, PNG or WebP. Default: none.
  /// - Throws: The errors of ``image(for:)-(ImageRequest)``, and ``ImageError/failed(cause:url:)`` with an
  ///   ``ImageEncodingError``.
  /// - Precondition: `quality` is in 0...1.
  public func encodedData(
    for request: ImageRequest, as format: ImageFormat, quality: Double = 0.8, byteLimit: Int? = nil,
    metadata: MetadataPolicy = .strip
  ) async throws(ImageError) -> Data {
    try await encodedImage(for: request, as: format, quality: quality, byteLimit: byteLimit, metadata: metadata).data
  }

  /// The file of ``encodedData(for:as:quality:byteLimit:metadata:)``, with its origin and the head of its source.
  package func encodedImage(
    for request: ImageRequest, as format: ImageFormat, quality: Double, byteLimit: Int?, metadata: MetadataPolicy
  ) async throws(ImageError) -> EncodedImageResponse {
    var request = resolved(request)
    request.storage = .encoded(
      as: format, quality: quality, byteLimit: byteLimit, metadata: metadata,
      keepsOriginal: request.resolved.storage.keepsOriginal)
    request.animation = .firstFrame
    return try await encodedResponse(request, planner: nil)
  }

  /// The image of a request as a file that depends on the properties of the original one.
  package func plannedResponse(
    for request: ImageRequest, planIdentifier: String, sourcePolicy: CachePolicy? = nil, sourceByteLimit: Int? = nil,
    plan: @escaping @Sendable (ImageInfo) throws -> Rendition?
  ) async throws(ImageError) -> EncodedImageResponse {
    var request = resolved(request)
    (request.size, request.region, request.processors) = (.original, nil, [])
    request.storage = StoragePolicy(keepsOriginal: request.resolved.storage.keepsOriginal)
    request.animation = .firstFrame
    return try await encodedResponse(
      request,
      planner: EncodingPlanner(
        identifier: planIdentifier, sourcePolicy: sourcePolicy, sourceByteLimit: sourceByteLimit, plan: plan))
  }

  private func encodedResponse(
    _ request: ImageRequest, planner: EncodingPlanner?
  ) async throws(ImageError) -> EncodedImageResponse {
    var request = request
    request.memoryAccess = .disabled
    let variant = try await loader.encodedVariant(for: request, planner: planner)
    let (source, head) = (variant.source, variant.source.responseHead)
    // A response that must not be stored is never fresh; others are without a store as well.
    let isReusable =
      source.isFoundAgain || configuration.httpCaching.isStorable(source.metadata, requestHeaders: request.headers)
    let freshEnd = isReusable ? source.freshEnd : nil
    let freshness = freshEnd.map { max(.zero, $0 - configuration.time.uptime()) } ?? .zero
    var response = EncodedImageResponse(
      data: variant.data, origin: source.origin, wasStored: variant.wasStored,
      storeTier: variant.wasStored ? source.trace.storeTier : nil,
      head: source.metadata.redirects.isEmpty ? head : head?.limited(to: freshness),
      freshness: head == nil ? nil : freshness)
    // A program's own format, which only its decoders detect, or only its encoders know.
    response.format =
      request.resolved.storage.encoding?.format
      ?? configuration.decoderTable.format(sniffing: variant.data, isComplete: true)
    return response
  }
}

extension ResponseHead {
  /// The head with the freshness that redirects leave, and without directives for the time after it.
  fileprivate func limited(to freshness: Duration) -> ResponseHead {
    let control = CacheControl(headers)
    var directives = ["max-age=\(freshness.components.seconds)"]
    if control.isPrivate { directives.append("private") }
    if control.requiresValidation { directives.append("no-cache") }
    if control.forbidsStorage { directives.append("no-store") }
    if control.forbidsStale { directives.append("must-revalidate") }
    var head = self
    head.headers["Cache-Control"] = directives.joined(separator: ", ")
    head.headers["Expires"] = nil
    return head
  }
}
