public import HalcyonImaging
public import Foundation

/// Decodes JPEG through libjpeg-turbo: baseline and progressive, grey, colour and CMYK, 8 bits per sample.
///
/// A smaller size is decoded with a scaled inverse DCT, and its planes are resampled to the target size while they are
/// decoded: a baseline image takes the memory of its result and a few rows. Damaged data is decoded as far as possible,
/// as in browsers. Truncated data throws `ImageDecodingError.truncated`, unless the options allow a partial image,
/// whose missing part is grey.
public struct JPEGDecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()
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

  /// The conversion of CMYK rows while they are decoded, and that of the RGBA result.
  private func mappings(_ header: JPEGHeader, profile: ColorDescription?) -> (cmyk: ColorMapping, colors: ColorMapping)
  {
    guard header.colorModel == .cmyk else {
      return (.none, colors.mapping(profile, inRGBA: header.colorModel == .grey))
    }
    return (colors.mapping(profile, layout: header.adobeTransform == nil ? .cmyk8 : .cmyk8Inverted), .none)
  }

  private func parse(_ bytes: Data) throws -> JPEGHeader? {
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

extension JPEGDecoder: ProgressiveImageDecoder {
  /// A preview from the complete scans of a progressive image; an image with a single scan has no preview.
  public func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    let scans = prefix.withUnsafeBytes { JPEGCompleteScans($0) }
    guard let scans, scans.count > stage else { return nil }
    var options = options
    options.allowsPartialImage = true
    let image = try decode(prefix.prefix(scans.end), options: options)
    return ImagePreview(image: image, stage: scans.count)
  }
}

/// The complete scans in a prefix of a progressive image.
private struct JPEGCompleteScans {
  private static let progressiveFrame: UInt8 = 0xC2

  private(set) var count = 0
  /// The end of the last complete scan.
  private(set) var end = 0

  /// `nil` if there is no complete scan, or the image is not progressive.
  init?(_ prefix: UnsafeRawBufferPointer) {
    guard var segments = JPEGSegments(prefix) else { return nil }
    var isProgressive = false
    while let segment = segments.next(), segment.marker != JPEGSegments.endOfImage {
      if segment.marker == Self.progressiveFrame { isProgressive = true }
      guard segment.marker == JPEGSegments.startOfScan else { continue }
      count += 1
      end = segment.range.upperBound
    }
    guard isProgressive, count > 0 else { return nil }
  }
}
