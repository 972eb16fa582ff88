public import HalcyonImaging
public import Foundation

/// Decodes Windows and OS/2 bitmaps: 1 to 32 bits per pixel, run-length encoding, bit fields, alpha, bottom-up and
/// top-down rows.
///
/// Own code instead of a library: the format is a header and rows. Rows are resampled one by one; only run-length
/// encoding takes one byte per pixel. Colour profiles are reported but not applied.
public struct BMPDecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share a cache for resampling, a few megabytes at most.
  public init() {}

  /// BMP only.
  public let formats: Set<ImageFormat> = [.bmp]

  /// Reads the headers, at most 138 bytes.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try bytes.withUnsafeBytes { try BMPHeaderParser.parse(file: Bytes($0)) }
    if header == nil, isComplete { throw ImageDecodingError.truncated(.bmp) }
    return header?.info
  }

  /// Decodes a complete file at the target size.
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

/// The rows of an uncompressed bitmap, from top to bottom.
private final class BMPRowSource: RowSource {
  var size: PixelSize { header.size }
  let isOpaque: Bool

  private let bytes: UnsafeRawBufferPointer
  private let header: BMPHeader
  private let colors: BMPColors
  private let firstRow: Int
  private var nextRow = 0

  /// - Parameter bytes: The bytes that the offsets of the header refer to; must outlive the source.
  init(_ bytes: UnsafeRawBufferPointer, header: BMPHeader) throws(ImageDecodingError) {
    let rowsBeforeLast = header.bytesPerRow.multipliedReportingOverflow(by: header.size.height - 1)
    let end = header.pixelOffset + rowsBeforeLast.partialValue + header.usedBytesPerRow
    guard !rowsBeforeLast.overflow, end <= bytes.count else { throw .truncated(.bmp) }
    self.bytes = bytes
    self.header = header
    colors = BMPColors(Bytes(bytes), header: header)
    isOpaque = !header.hasAlpha
    firstRow = header.isTopDown ? 0 : header.size.height - 1
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    let index = header.isTopDown ? nextRow : firstRow - nextRow
    nextRow += 1
    let start = header.pixelOffset + index * header.bytesPerRow
    let stored = UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.usedBytesPerRow])
    colors.unpack(stored, bitCount: header.bitCount, count: size.width, into: row)
    if !isOpaque { AlphaMath.premultiply(row, count: size.width) }
  }

  func finish() {}
}

/// The rows of a run-length encoded bitmap, whose palette indices are all decoded already.
private final class BMPIndexRowSource: RowSource {
  var size: PixelSize { header.size }
  let isOpaque = true

  private let header: BMPHeader
  private let colors: BMPColors
  private let indices: [UInt8]
  private var nextRow = 0

  init(_ indices: [UInt8], bytes: UnsafeRawBufferPointer, header: BMPHeader) {
    self.indices = indices
    self.header = header
    colors = BMPColors(Bytes(bytes), header: header)
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    let index = header.isTopDown ? nextRow : size.height - 1 - nextRow
    nextRow += 1
    indices.withUnsafeBytes { all in
      let stored = UnsafeRawBufferPointer(rebasing: all[index * size.width..<(index + 1) * size.width])
      colors.unpack(stored, bitCount: 8, count: size.width, into: row)
    }
  }

  func finish() {}
}
