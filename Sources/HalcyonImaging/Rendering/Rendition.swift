public import Foundation
package import HalcyonSupport

/// What is made of an image: the size at which its file is decoded, the processors, and the form of the result.
///
/// Requests make one, and servers decide on one once they know the properties of a file: a crop at a share of its width,
/// or the format that it has.
public struct Rendition: Sendable {
  /// The size at which the file is decoded. Default: its own.
  public var size: TargetSize
  /// The part of the image that is decoded, as ``DecodingOptions/region`` says. Default: `nil`, all of it.
  public var region: PixelArea?
  /// Processors of the decoded image, applied in order. Default: none.
  public var processors: [any ImageProcessor]
  /// The form of the result; `nil` makes no file of the image.
  public var encoding: Encoding?
  /// The most frames of an animation, for formats whose encoder of the library writes animations: GIF, WebP and AVIF.
  /// Later frames are left out. Processors apply to each frame, and have to return equal sizes. Default: 1, a still
  /// image.
  public var frameLimit = 1
  /// The memory in bytes that ``processors`` take besides the decoded image, for `memoryBudget` of a pipeline. Default: 0,
  /// for processors whose results are not larger than the image.
  public var processingByteCount = 0

  /// The colour space of the pixels.
  package var colorSpace = TargetColorSpace.sRGB
  /// The range of luminances of the pixels.
  package var dynamicRange = DynamicRange.standard
  /// Whether a damaged file is rendered as far as it can be decoded.
  package var allowsPartialImage = false
  /// Whether a decoded image keeps the animation of its file, for playback.
  package var keepsAnimation = false

  /// Creates a rendition.
  public init(
    size: TargetSize = .original, region: PixelArea? = nil, processors: [any ImageProcessor] = [],
    encoding: Encoding? = nil
  ) {
    self.size = size
    self.region = region
    self.processors = processors
    self.encoding = encoding
  }

  /// The form in which an image is encoded.
  public struct Encoding: Hashable, Sendable {
    /// The format. `nil` for PNG if a pixel is transparent, otherwise JPEG; an animation is not encoded then. Or SVG for SVG
    /// files: they are not drawn, but sent without anything that runs code or refers outside, and no other option applies.
    public var format: ImageFormat?
    /// The quality of lossy formats, as ``EncodingOptions/quality`` says.
    public var quality: Double {
      get { validQuality.value }
      set { validQuality = Quality(newValue) }
    }
    private var validQuality: Quality
    /// The most bytes of the file: the best quality that fits is used, at most ``quality``. Default: no limit.
    public var byteLimit: Int?
    /// The metadata of the original file that the file gets, if its format is JPEG, PNG or WebP. Default: none.
    public var metadata: MetadataPolicy
    /// The most colours, as ``EncodingOptions/colorLimit`` says. Default: `nil`, no limit.
    public var colorLimit: Int?
    /// Whether all colours are kept, as ``EncodingOptions/isLossless`` says. Default: `false`.
    @_spi(Programs) public var isLossless = false

    /// Creates a form.
    public init(
      as format: ImageFormat? = nil, quality: Double = 0.8, byteLimit: Int? = nil, metadata: MetadataPolicy = .strip
    ) {
      self.format = format
      validQuality = Quality(quality)
      self.byteLimit = byteLimit
      self.metadata = metadata
    }
  }
}

extension Rendition: Hashable {
  /// Whether both make the same of an image: processors with equal identifiers are equal.
  public static func == (left: Rendition, right: Rendition) -> Bool {
    left.size == right.size && left.region == right.region && left.encoding == right.encoding
      && left.frameLimit == right.frameLimit
      && left.processingByteCount == right.processingByteCount && left.colorSpace == right.colorSpace
      && left.dynamicRange == right.dynamicRange
      && left.allowsPartialImage == right.allowsPartialImage && left.keepsAnimation == right.keepsAnimation
      && left.processors.elementsEqual(right.processors) { $0.identifier == $1.identifier }
  }

  /// Hashes the size, the region, the processors and the form.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(region)
    for processor in processors { hasher.combine(processor.identifier) }
    hasher.combine(encoding)
  }
}

extension Rendition {
  /// Renders a file on the calling thread, for programs without a pipeline.
  ///
  /// - Parameters:
  ///   - decoder: Decodes the file.
  ///   - encoders: Encode the result.
  ///   - allowsPartial: Whether a damaged file is rendered as far as it can be decoded.
  ///   - isCancelled: Called repeatedly.
  /// - Returns: The image, `nil` for an animation; the file, its size and its number of frames, and whether pixels or frames
  ///   are missing, since the source is damaged.
  @_spi(Programs) public func rendered(
    from file: Data, by decoder: any ImageDecoder, encoders: [any ImageEncoder], limits: ImageLimits,
    colorSpace: TargetColorSpace, dynamicRange: DynamicRange = .standard, allowsPartial: Bool,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> (image: DecodedImage?, data: Data?, size: PixelSize, frameCount: Int, isPartial: Bool) {
    var rendition = self
    (rendition.colorSpace, rendition.dynamicRange) = (colorSpace, dynamicRange)
    rendition.allowsPartialImage = allowsPartial
    do {
      let rendered = try CancellationFlag.run(cancelledBy: isCancelled) {
        try Renderer(encoders: encoders, limits: limits).rendered(
          Renderer.File(file, by: decoder), as: rendition, isCancelled: isCancelled)
      }
      return (rendered.image, rendered.data, rendered.size, rendered.frameCount, rendered.isPartial)
    } catch {
      throw (error as? RenderingError)?.cause ?? error
    }
  }
}

extension Rendition {
  /// Appends what changes the pixels to the fields of a cache key.
  package func append(to fields: inout KeyFields) {
    Self.append(size, region, processors, colorSpace, dynamicRange, to: &fields)
  }

  /// Appends these properties of a rendition, which need not be made for each look-up in memory.
  package static func append(
    _ size: TargetSize, _ region: PixelArea?, _ processors: [any ImageProcessor], _ colorSpace: TargetColorSpace,
    _ dynamicRange: DynamicRange, to fields: inout KeyFields
  ) {
    size.append(to: &fields)
    if let region { fields.append("region", region.description) }
    for processor in processors { fields.append("process", processor.identifier) }
    if colorSpace != .sRGB { fields.append("color", colorSpace.rawValue) }
    if dynamicRange != .standard { fields.append("range", dynamicRange.rawValue) }
  }
}

extension Rendition.Encoding {
  /// Identifies the form in cache keys.
  package var keyText: String {
    let start =
      switch format {
      case nil: quality == 0.8 ? "automatic" : "automatic \(quality)"
      case let format?: "\(format.rawValue) \(quality)"
      }
    return start + (byteLimit.map { " \($0)" } ?? "") + (metadata == .strip ? "" : " \(metadata.rawValue)")
      + (colorLimit.map { " of \($0)" } ?? "") + (isLossless ? " lossless" : "")
  }
}

extension TargetSize {
  /// Appends the description of the size to the fields of a cache key, unless it is the original one.
  fileprivate func append(to fields: inout KeyFields) {
    switch self {
    case .original: break
    case .fit(let width, let height) where width < .max && height < .max:
      fields.append("size", "fit", width: width, height: height)
    case .fill(let width, let height, anchor: .center, enlarges: false):
      fields.append("size", "fill", width: width, height: height)
    case .exact(let width, let height, enlarges: true): fields.append("size", "exact", width: width, height: height)
    case .fit, .fill, .exact, .cover: fields.append("size", description)
    }
  }
}
