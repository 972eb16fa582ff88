public import HalcyonImaging
public import HalcyonHTTP
public import HalcyonPipeline

extension ImagePipeline {
  /// The image of a request as a file that depends on the properties of the original one.
  ///
  /// ```swift
  /// let square = try await pipeline.encodedResponse(for: request, planIdentifier: "square") { info in
  ///   let side = min(info.pixelSize.width, info.pixelSize.height)
  ///   return Rendition(size: .fill(width: side, height: side), encoding: .init(as: info.format))
  /// }
  /// ```
  ///
  /// Like ``ImagePipeline/encodedData(for:as:quality:byteLimit:metadata:)``, with one fetch of the source in any case:
  /// `plan` is called when the bytes of the source have been received, and not for a file in the store. The response
  /// has the origin of the file, and the headers of the response that it was made from, for the server's own
  /// `Cache-Control` and `Last-Modified`.
  ///
  /// - Parameters:
  ///   - request: The image to encode. Its size, processors and storage policy are ignored.
  ///   - planIdentifier: Identifies what `plan` decides, in cache keys: for equal identifiers and files it must return
  ///     equal renditions.
  ///   - sourcePolicy: How the source is got where the file has to be made; ``CachePolicy/revalidate`` has the server
  ///     confirm a fresh source, too, and a failure to do so is an error. Default: the policy of the request.
  ///   - sourceByteLimit: The most bytes of a source from which the file has to be made, also of a stored one; a longer one is
  ///     an ``ImageError/responseTooLarge(byteLimit:url:)``. `planIdentifier` identifies it, too. Default: the limit of the
  ///     pipeline.
  ///   - plan: Called on any thread, at most once for equal calls in flight. `nil` leaves the file as it is: the original
  ///     bytes, which are stored as such.
  /// - Throws: The errors of ``ImagePipeline/image(for:)-(ImageRequest)``, and ``ImageError/failed(cause:url:)`` with an
  ///   ``ImageEncodingError`` or an error of `plan`.
  public func encodedResponse(
    for request: ImageRequest, planIdentifier: String, sourcePolicy: CachePolicy? = nil, sourceByteLimit: Int? = nil,
    plan: @escaping @Sendable (ImageInfo) throws -> Rendition?
  ) async throws(ImageError) -> EncodedImageResponse {
    try await plannedResponse(
      for: request, planIdentifier: planIdentifier, sourcePolicy: sourcePolicy, sourceByteLimit: sourceByteLimit,
      plan: plan)
  }
  /// Same as ``ImagePipeline/encodedData(for:as:quality:byteLimit:metadata:)``, with the origin of the file and the head
  /// of its source: what a server needs for its own response (``EncodedImageResponse/httpHead(for:lifetime:varying:)``).
  public func encodedResponse(
    for request: ImageRequest, as format: ImageFormat, quality: Double = 0.8, byteLimit: Int? = nil,
    metadata: MetadataPolicy = .strip
  ) async throws(ImageError) -> EncodedImageResponse {
    try await encodedImage(for: request, as: format, quality: quality, byteLimit: byteLimit, metadata: metadata)
  }
}

extension PipelineConfiguration {
  /// The memory for images that are made from a ``Rendition``, each of which waits until there is enough for it to be
  /// decoded, processed and encoded. Default: half of the memory available to the process.
  public var memoryBudget: MemoryBudget {
    get { encodingBudget }
    set { encodingBudget = newValue }
  }
}
