import HalcyonImaging
import Foundation
import TIFFShim

/// The first picture of a TIFF file being read by libtiff as premultiplied RGBA.
struct TIFFReader: ~Copyable {
  private static let leastAllocationLimit = 64 << 20

  private let handle: OpaquePointer
  let rowsPerRead: Int

  /// Opens a file; `bytes` must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer, size: PixelSize) throws(ImageDecodingError) {
    let allocationLimit = max(Self.leastAllocationLimit, size.pixelCount * 16)
    guard let handle = tiff_shim_open(bytes.baseAddress, bytes.count, allocationLimit) else { throw .outOfMemory(size) }
    guard tiff_shim_start(handle) else {
      let message = String(cString: tiff_shim_message(handle))
      let ranOut = tiff_shim_ran_out(handle)
      tiff_shim_close(handle)
      throw ranOut ? .truncated(.tiff) : .unsupportedFeature(.tiff, feature: "what libtiff does not draw: \(message)")
    }
    // Buffers are made for `size`; a directory with two widths must not make libtiff write more.
    guard tiff_shim_width(handle) == UInt32(clamping: size.width),
      tiff_shim_height(handle) == UInt32(clamping: size.height)
    else {
      tiff_shim_close(handle)
      throw .corrupt(.tiff, reason: "it claims several sizes")
    }
    self.handle = handle
    rowsPerRead = Int(tiff_shim_rows_per_read(handle))
  }

  deinit { tiff_shim_close(handle) }

  /// Whether rows can be read as four bytes of ink a pixel.
  var hasPlainInks: Bool { tiff_shim_has_plain_inks(handle) }

  /// Writes a row of inks; rows are read in their order.
  func readInks(row: Int, into inks: UnsafeMutableRawPointer) throws(ImageDecodingError) {
    try check(tiff_shim_read_inks(handle, UInt32(row), inks))
  }

  /// Writes stored rows; `row` is a multiple of ``rowsPerRead``.
  func read(_ row: Int, count: Int, into pixels: UnsafeMutablePointer<UInt32>) throws(ImageDecodingError) {
    try check(tiff_shim_read(handle, UInt32(row), UInt32(count), pixels))
  }

  private func check(_ isRead: Bool) throws(ImageDecodingError) {
    guard !isRead else { return }
    if tiff_shim_ran_out(handle) { throw .truncated(.tiff) }
    throw .corrupt(.tiff, reason: String(cString: tiff_shim_message(handle)))
  }
}

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
