public import HalcyonImaging
public import Foundation

/// Decodes the first page of TIFF and BigTIFF files through libtiff, in every compression and colour space it supports.
///
/// Strips and rows of tiles are resampled one by one, so decoding takes the memory of the largest of them. Old-style
/// JPEG (compression 6), which was never well defined, is not supported.
public struct TIFFDecoder: ImageDecoder {
  private static let oldJPEG = 6

  private let graphs = ResampleGraphCache()
  private let colors = ColorTransformCache()

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  public init() {}

  /// TIFF only.
  public let formats: Set<ImageFormat> = [.tiff]

  /// Reads the first image file directory, which many encoders write at the end of the file.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try bytes.withUnsafeBytes { try TIFFHeaderParser.parse(Bytes($0)) }
    if header == nil, isComplete { throw ImageDecodingError.truncated(.tiff) }
    return header?.info
  }

  /// Decodes the first page of a complete file at the target size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try TIFFHeaderParser.parse(Bytes(buffer)) else { throw ImageDecodingError.truncated(.tiff) }
      guard header.compression != Self.oldJPEG else {
        throw ImageDecodingError.unsupportedFeature(.tiff, feature: "old-style JPEG compression")
      }
      let plan = try DecodingPlan(info: header.info, options: options)
      let profile = header.profile.map { ColorDescription.profile(Data(buffer[$0.clamped(to: 0..<buffer.count)])) }
      if let rows = try cmykRows(buffer, header: header, profile: profile) {
        return try plan.image {
          try plan.bitmap(isOpaque: true, graphs: graphs, isCancelled: options.isCancelled, rows: rows)
        }
      }
      return try plan.image(colors: colors.mapping(profile, inRGBA: header.isGrey)) {
        try plan.bitmap(isOpaque: !header.hasAlpha, graphs: graphs, isCancelled: options.isCancelled) {
          try TIFFRowSource(buffer, header: header, isCancelled: options.isCancelled)
        }
      }
    }
  }

  /// Reads the fields of the first directory, which are those of Exif. ``ImageMetadata/exif`` is `nil`: it would be the
  /// whole file.
  public func metadata(of bytes: Data) throws -> ImageMetadata {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try TIFFHeaderParser.parse(Bytes(buffer)) else { throw ImageDecodingError.truncated(.tiff) }
      var metadata = ImageMetadata(info: header.info)
      metadata.add(
        MetadataBlocks(colorProfile: header.profile.map { Data(buffer[$0.clamped(to: 0..<buffer.count)]) }))
      // BigTIFF has another header.
      ExifData(Bytes(buffer))?.read(into: &metadata)
      return metadata
    }
  }

  /// The rows of a CMYK image with a profile; `nil` for any other image.
  private func cmykRows(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, profile: ColorDescription?
  ) throws(ImageDecodingError) -> (() throws -> any RowSource)? {
    guard header.photometric == TIFFHeader.Photometric.separated, let profile,
      let transform = colors.mapping(profile, layout: .cmyk8).transform,
      try TIFFReader(bytes, size: header.size).hasPlainCMYK
    else { return nil }
    return { try TIFFCMYKRowSource(bytes, header: header, transform: transform) }
  }
}
