#if IMAGEIO
import HalcyonImaging
import Foundation

/// An AVIF or HEIC file that the system decodes.
///
/// The system crops to the clean aperture; the library rotates.
struct HEIFImageFile {
  let bytes: Data
  let format: ImageFormat
  private let header: HEIFImageHeader

  /// - Throws: ``ImageDecodingError`` if the file is damaged or truncated.
  init(_ bytes: Data, format: ImageFormat) throws {
    guard let header = try Self.header(bytes, format: format, isComplete: true) else {
      throw ImageDecodingError.truncated(format)
    }
    let isWhole = try bytes.withUnsafeBytes {
      try MediaFile(Bytes($0), format: format).hasWholeImage(prefersSequence: true)
    }
    guard isWhole else { throw ImageDecodingError.truncated(format) }
    self.bytes = bytes
    self.format = format
    self.header = header
  }

  static func probe(_ bytes: Data, format: ImageFormat, isComplete: Bool) throws -> ImageInfo? {
    try header(bytes, format: format, isComplete: isComplete)?.info(format)
  }

  func image(graphs: ResampleGraphCache, options: DecodingOptions) throws -> DecodedImage {
    let plan = try DecodingPlan(info: header.info(format), isWide: header.isWide, options: options)
    return try plan.image(colors: ColorMapping(colorSpace: plan.colorSpace)) {
      try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled)
        .bitmap(of: bytes, plan: plan)
    }
  }

  func frameReader(graphs: ResampleGraphCache, options: DecodingOptions) throws -> any ImageFrameReader {
    SystemSequenceReader(
      file: bytes, header: header,
      plan: try DecodingPlan(info: header.info(format), isWide: header.isWide, options: options),
      decoder: SystemDecoder(graphs: graphs, isCancelled: options.isCancelled))
  }

  var metadata: ImageMetadata {
    get throws { try HEIFMetadata.metadata(of: bytes, header: header, format: format) }
  }

  private static func header(_ bytes: Data, format: ImageFormat, isComplete: Bool) throws -> HEIFImageHeader? {
    try bytes.withUnsafeBytes {
      try HEIFImageHeaderParser.parse(Bytes($0), format: format, isComplete: isComplete, prefersSequence: true)
    }
  }
}
#endif
