public import HalcyonImaging
public import Foundation

/// Decodes JPEG through libjpeg-turbo: baseline and progressive, grey, colour and CMYK, 8 bits per sample.
///
/// A smaller size is decoded with a scaled inverse DCT, and its planes are resampled to the target size while they are
/// decoded: a baseline image takes the memory of its result and a few rows. Damaged data is decoded as far as possible,
/// as in browsers. Truncated data throws `ImageDecodingError.truncated`, unless the options allow a partial image,
/// whose missing part is grey.
public struct JPEGDecoder: ImageDecoder {
  let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  public init() {}

  /// JPEG only.
  public let formats: Set<ImageFormat> = [.jpeg]

  /// Reads the segments up to the first scan; metadata is skipped by its length.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try parse(bytes)
    if header == nil, isComplete { throw ImageDecodingError.truncated(.jpeg) }
    return header?.info
  }

  /// Decodes a complete file at the target size, or a truncated one if the options allow a partial image.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.jpeg) }
    let plan = try DecodingPlan(info: header.info, options: options)
    let truncation = PartialImagePolicy(isAccepted: options.allowsPartialImage)
    return try bytes.withUnsafeBytes { buffer in
      let (cmyk, colors) = mappings(header, profile: header.profileParts.profile(in: buffer))
      let file = JPEGFile(
        bytes: truncation.isAccepted ? buffer.readableJPEG : buffer, size: header.size, cmykTransform: cmyk.transform,
        truncation: truncation, isCancelled: options.isCancelled)
      return try plan.image(colors: cmyk.isUnusable ? .unusable : colors, truncation: truncation) {
        if plan.isWholeImage { return try file.rows(scale: .full).bitmap(isCancelled: options.isCancelled) }
        return try resampled(file, plan: plan, scale: JPEGScale(for: plan.geometry))
      }
    }
  }

  /// Reads the segments up to the first scan.
  public func metadata(of bytes: Data) throws -> ImageMetadata {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.jpeg) }
    var metadata = ImageMetadata(info: header.info, isProgressive: header.isProgressive)
    bytes.withUnsafeBytes { buffer in
      var blocks = MetadataBlocks()
      if let exif = header.exif { blocks.setExif(Bytes(buffer)[exif]) }
      blocks.xmp = header.xmp.map { Data(buffer[$0]) }
      if case .profile(let profile) = header.profileParts.profile(in: buffer) { blocks.colorProfile = profile }
      metadata.add(blocks)
    }
    return metadata
  }

  /// The conversion of CMYK rows while they are decoded, and that of the RGBA result.
  func mappings(_ header: JPEGHeader, profile: ColorDescription?) -> (cmyk: ColorMapping, colors: ColorMapping) {
    guard header.colorModel == .cmyk else {
      return (.none, colors.mapping(profile, inRGBA: header.colorModel == .grey))
    }
    return (colors.mapping(profile, layout: header.adobeTransform == nil ? .cmyk8 : .cmyk8Inverted), .none)
  }

  func parse(_ bytes: Data) throws -> JPEGHeader? {
    try bytes.withUnsafeBytes { try JPEGHeaderParser.parse(Bytes($0)) }
  }

  private func resampled(_ file: JPEGFile, plan: DecodingPlan, scale: JPEGScale) throws -> Bitmap {
    if let essential = JPEGScanSelection.essentialBytes(of: file.bytes, scale: scale) {
      return try essential.withUnsafeBytes { bytes in
        try decoded(file.with(bytes), plan: plan, scale: scale)
      }
    }
    return try decoded(file, plan: plan, scale: scale)
  }

  private func decoded(_ file: JPEGFile, plan: DecodingPlan, scale: JPEGScale) throws -> Bitmap {
    let resampler = Resampler(format: .jpeg, geometry: plan.geometry.scaled(by: scale.factor), graphs: graphs)
    return try resampler.bitmap(isOpaque: true) { try file.planes(scale: scale) }
  }
}
