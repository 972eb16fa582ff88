import HalcyonImaging
import Foundation

/// The rows of a TIFF picture, read a strip or a row of tiles at a time.
final class TIFFRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let reader: TIFFReader
  private let isCancelled: () -> Bool
  private let group: UnsafeMutablePointer<UInt32>
  private var nextRow = 0

  init(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    let reader = try TIFFReader(bytes, size: header.size)
    guard let group = calloc(header.size.width * reader.rowsPerRead, 4) else { throw .outOfMemory(header.size) }
    self.group = group.assumingMemoryBound(to: UInt32.self)
    self.reader = reader
    self.isCancelled = isCancelled
    size = header.size
    isOpaque = !header.hasAlpha
  }

  deinit { free(group) }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    let index = nextRow % reader.rowsPerRead
    if index == 0 {
      if isCancelled() { throw .cancelled }
      try reader.read(nextRow, count: min(reader.rowsPerRead, size.height - nextRow), into: group)
    }
    nextRow += 1
    row.withMemoryRebound(to: UInt32.self, capacity: size.width) { pixels in
      for column in 0..<size.width { pixels[column] = clean((group + index * size.width)[column].littleEndian) }
    }
  }

  func finish() {}

  /// Opaque where the file has no alpha, and no colour above its alpha where it has.
  private func clean(_ pixel: UInt32) -> UInt32 {
    let alpha = pixel >> 24
    if isOpaque { return (pixel | 0xFF00_0000).littleEndian }
    if alpha == 255 { return pixel.littleEndian }
    let red = min(pixel & 255, alpha)
    let green = min(pixel >> 8 & 255, alpha)
    let blue = min(pixel >> 16 & 255, alpha)
    return (red | green << 8 | blue << 16 | alpha << 24).littleEndian
  }
}
