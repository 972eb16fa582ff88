import HalcyonImaging

/// The rows of a TIFF picture in four inks, turned into sRGB by a profile one by one.
final class TIFFInkRowSource: RowSource {
  let size: PixelSize
  let isOpaque = true

  private let reader: TIFFReader
  private let transform: ColorTransform
  private var inks: [UInt8]
  private var nextRow = 0

  /// - Parameter transform: One for four bytes of ink a pixel.
  init(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, transform: ColorTransform
  ) throws(ImageDecodingError) {
    reader = try TIFFReader(bytes, size: header.size)
    self.transform = transform
    size = header.size
    inks = Array(repeating: 0, count: header.size.width * 4)
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    try inks.withUnsafeMutableBufferPointer { (inks) throws(ImageDecodingError) in
      guard let start = inks.baseAddress else { return }
      try reader.readInks(row: nextRow, into: start)
      transform.convert(start, to: row, count: size.width)
    }
    nextRow += 1
  }

  func finish() {}
}
