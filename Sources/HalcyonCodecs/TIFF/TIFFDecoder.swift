public import HalcyonImaging
public import Foundation

/// Decodes the first picture of TIFF and BigTIFF files through libtiff, in every compression and colour that it draws.
///
/// Strips and rows of tiles go into the resampler one by one, so a file takes as much memory as its largest one. Old-style
/// JPEG (compression 6), which was never well defined, is refused.
public struct TIFFDecoder: ImageDecoder {
  private static let oldJPEG = 6

  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// Creates a decoder; its copies share what they know about resizing and colours, a few megabytes at most.
  public init() {}

  /// TIFF alone.
  public let formats: Set<ImageFormat> = [.tiff]

  /// Reads the first directory, which many programs write at the end of the file.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try bytes.withUnsafeBytes { try TIFFHeaderParser.parse(Bytes($0)) }
    if header == nil, isComplete { throw ImageDecodingError.truncated(.tiff) }
    return header?.info
  }

  /// Decodes the first picture of a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try TIFFHeaderParser.parse(Bytes(buffer)) else { throw ImageDecodingError.truncated(.tiff) }
      guard header.compression != Self.oldJPEG else {
        throw ImageDecodingError.unsupportedFeature(.tiff, feature: "old-style JPEG")
      }
      let plan = try DecodingPlan(info: header.info, options: options)
      let profile = header.profile.map { ColorDescription.profile(Data(buffer[$0.clamped(to: 0..<buffer.count)])) }
      if let inks = try inks(buffer, header: header, profile: profile, isCancelled: options.isCancelled) {
        return try plan.image {
          try plan.bitmap(isOpaque: true, graphs: graphs, isCancelled: options.isCancelled, rows: inks)
        }
      }
      return try plan.image(colors: colors.mapping(profile, inRGBA: header.isGrey)) {
        try plan.bitmap(isOpaque: !header.hasAlpha, graphs: graphs, isCancelled: options.isCancelled) {
          try TIFFRowSource(buffer, header: header, isCancelled: options.isCancelled)
        }
      }
    }
  }

  /// Opens the rows of a picture in inks that a profile describes; `nil` for any other one.
  private func inks(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, profile: ColorDescription?,
    isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) -> (() throws -> any RowSource)? {
    guard header.photometric == TIFFHeader.Photometric.inks, let profile,
      let transform = colors.mapping(profile, layout: .cmyk8).transform,
      try TIFFReader(bytes, size: header.size).hasPlainInks
    else { return nil }
    return { try TIFFInkRowSource(bytes, header: header, transform: transform) }
  }
}
