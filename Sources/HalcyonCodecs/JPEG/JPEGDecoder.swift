public import Foundation
public import HalcyonCore

/// Decodes JPEG through libjpeg-turbo: baseline and progressive, grey, colour and CMYK, 8 bits a sample.
///
/// A smaller size is decoded with a smaller transform, and its planes are filtered to the wanted size while they
/// arrive: a baseline image takes the memory of its result and a few rows. Damaged data is drawn as far as it goes, as
/// browsers do; data that ends early is `ImageDecodingError.truncated`.
public struct JPEGDecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// JPEG alone.
  public var formats: Set<ImageFormat> { [.jpeg] }

  /// Reads the markers up to the first scan, skipping metadata by its length.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try bytes.withUnsafeBytes { try JPEGHeaderParser.parse(Bytes($0)) }
    if header == nil, isComplete { throw ImageDecodingError.truncated(.jpeg) }
    return header?.info
  }

  /// Decodes a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.jpeg) }
    let plan = try DecodingPlan(info: info, options: options)
    return try bytes.withUnsafeBytes { buffer in
      let file = JPEGFile(bytes: buffer, size: info.storedSize, isCancelled: options.isCancelled)
      return try plan.image {
        if plan.isWholeImage { return try file.rows(scale: .full).bitmap(isCancelled: options.isCancelled) }
        return try resampled(file, plan: plan, scale: JPEGScale(for: plan.geometry))
      }
    }
  }

  private func resampled(_ file: JPEGFile, plan: DecodingPlan, scale: JPEGScale) throws -> Bitmap {
    if scale == .eighth, let essential = JPEGScanSelection.essentialBytes(of: file.bytes) {
      return try essential.withUnsafeBytes { bytes in
        try drawn(JPEGFile(bytes: bytes, size: file.size, isCancelled: file.isCancelled), plan: plan, scale: scale)
      }
    }
    return try drawn(file, plan: plan, scale: scale)
  }

  private func drawn(_ file: JPEGFile, plan: DecodingPlan, scale: JPEGScale) throws -> Bitmap {
    let resampler = Resampler(format: .jpeg, geometry: plan.geometry.scaled(by: scale.factor), graphs: graphs)
    return try resampler.bitmap(isOpaque: true) { try file.planes(scale: scale) }
  }
}
