public import HalcyonImaging

/// How an image is made and encoded, decided once the properties of its file are known.
///
/// For servers, whose requests depend on the source: a crop at a share of its width, or the format that it has.
public struct EncodingPlan: Sendable {
  /// The size at which the file is decoded. Default: its own.
  public var size: TargetSize
  /// Processors of the decoded image, applied in order. Default: none.
  public var processors: [any ImageProcessor]
  /// The format of the result, for which the pipeline has an encoder. Or SVG for SVG files: they are not drawn, but
  /// sent without anything that runs code or refers outside, and no other option applies.
  public var format: ImageFormat
  /// The quality of lossy formats, from 0 (smallest) to 1 (best). Default: 0.8.
  public var quality: Double
  /// The most bytes of the result: the best quality that fits is used, at most ``quality``. Default: no limit.
  public var byteLimit: Int?
  /// The metadata of the file that the result gets, if ``format`` is JPEG, PNG or WebP. Default: none.
  public var metadata: MetadataPolicy
  /// The most colours of the result, as ``EncodingOptions/colorLimit`` says. Default: `nil`, no limit.
  public var colorLimit: Int?
  /// The most frames of an animation, for formats whose encoder of the library writes animations: GIF, WebP and AVIF.
  /// Later frames are left out. Processors apply to each frame, and have to return equal sizes. Default: 1, a still
  /// image.
  public var frameLimit = 1
  /// The memory in bytes that ``processors`` take besides the decoded image, for `memoryBudget` of the configuration.
  /// Default: 0, for processors whose results are not larger than the image.
  public var processingByteCount = 0

  /// Creates a plan.
  ///
  /// - Precondition: `quality` is in 0...1.
  public init(
    size: TargetSize = .original, processors: [any ImageProcessor] = [], format: ImageFormat, quality: Double = 0.8,
    byteLimit: Int? = nil, metadata: MetadataPolicy = .strip
  ) {
    precondition((0...1).contains(quality), "quality must be in 0...1, got \(quality)")
    self.size = size
    self.processors = processors
    self.format = format
    self.quality = quality
    self.byteLimit = byteLimit
    self.metadata = metadata
  }
}

/// Decides how an image is made, and identifies the decision in cache keys.
struct EncodingPlanner: Sendable {
  let identifier: String
  /// `nil` leaves the file as it is.
  let plan: @Sendable (ImageInfo) throws -> EncodingPlan?
}

extension EncodingPlan {
  /// A request with the plan.
  func applied(to request: ImageRequest) -> ImageRequest {
    var request = request
    request.size = size
    request.processors = processors
    let keepsOriginal = request.storage?.keepsOriginal ?? true
    request.storage = .encoded(
      as: format, quality: quality, byteLimit: byteLimit, metadata: metadata, keepsOriginal: keepsOriginal)
    request.storage?.colorLimit = colorLimit.map { UInt16(clamping: $0) }
    return request
  }
}
