public import HalcyonImaging
public import Foundation

/// Decodes Windows and OS/2 bitmaps: 1 to 32 bits a pixel, run lengths, bit fields, alpha, both directions of rows.
///
/// Written here, not taken from a library: the format is a header and rows. Rows go into the resampler one by one;
/// run lengths alone need a byte for each pixel. Profiles in the file are told and not applied.
public struct BMPDecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// BMP alone.
  public let formats: Set<ImageFormat> = [.bmp]

  /// Reads the headers, at most 138 bytes.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try bytes.withUnsafeBytes { try BMPHeaderParser.parse(file: Bytes($0)) }
    if header == nil, isComplete { throw ImageDecodingError.truncated(.bmp) }
    return header?.info
  }

  /// Decodes a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try BMPHeaderParser.parse(file: Bytes(buffer)) else {
        throw ImageDecodingError.truncated(.bmp)
      }
      let plan = try DecodingPlan(info: header.info, options: options)
      let indices =
        header.isRunLengthEncoded
        ? try BMPRunLengths.indices(buffer, header: header, isCancelled: options.isCancelled) : nil
      return try plan.image {
        try plan.bitmap(isOpaque: !header.hasAlpha, graphs: graphs, isCancelled: options.isCancelled) {
          if let indices { return BMPIndexRowSource(indices, bytes: buffer, header: header) }
          return try BMPRowSource(buffer, header: header)
        }
      }
    }
  }
}
