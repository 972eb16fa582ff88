#if !IMAGEIO
import HalcyonImaging
import Foundation
import TIFFShim

/// Decodes the first page of a TIFF file through libtiff as premultiplied RGBA.
struct TIFFReader: ~Copyable {
  /// The lower bound of libtiff's allocation limit, in bytes.
  private static let minimumAllocationLimit = 64 << 20

  private let handle: OpaquePointer
  let rowsPerRead: Int

  /// Opens a file; `bytes` must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer, size: PixelSize) throws(ImageDecodingError) {
    let allocationLimit = max(Self.minimumAllocationLimit, size.pixelCount * 16)
    guard let handle = tiff_shim_open(bytes.baseAddress, bytes.count, allocationLimit) else { throw .outOfMemory(size) }
    guard tiff_shim_start(handle) else {
      let message = String(cString: tiff_shim_message(handle))
      let isTruncated = tiff_shim_is_truncated(handle)
      tiff_shim_close(handle)
      throw isTruncated
        ? .truncated(.tiff) : .unsupportedFeature(.tiff, feature: "a layout that libtiff cannot decode (\(message))")
    }
    // Buffers have `size` pixels; a directory with two widths must not make libtiff write more.
    guard tiff_shim_width(handle) == UInt32(clamping: size.width),
      tiff_shim_height(handle) == UInt32(clamping: size.height)
    else {
      tiff_shim_close(handle)
      throw .corrupt(.tiff, reason: "it states conflicting sizes")
    }
    self.handle = handle
    rowsPerRead = Int(tiff_shim_rows_per_read(handle))
  }

  deinit { tiff_shim_close(handle) }

  /// Whether rows can be read as CMYK, four bytes per pixel.
  var hasPlainCMYK: Bool { tiff_shim_has_plain_cmyk(handle) }

  /// Writes a row of CMYK; rows must be read in order.
  func readCMYK(row: Int, into pixels: UnsafeMutableRawPointer) throws(ImageDecodingError) {
    try check(tiff_shim_read_cmyk(handle, UInt32(row), pixels))
  }

  /// Writes stored rows; `row` is a multiple of ``rowsPerRead``.
  func read(_ row: Int, count: Int, into pixels: UnsafeMutablePointer<UInt32>) throws(ImageDecodingError) {
    try check(tiff_shim_read(handle, UInt32(row), UInt32(count), pixels))
  }

  private func check(_ isRead: Bool) throws(ImageDecodingError) {
    guard !isRead else { return }
    if tiff_shim_is_truncated(handle) { throw .truncated(.tiff) }
    throw .corrupt(.tiff, reason: String(cString: tiff_shim_message(handle)))
  }
}

/// The rows of a TIFF image, read one strip or row of tiles at a time.
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

  /// Makes the pixel opaque if the file has no alpha, and otherwise clamps colours to alpha.
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

/// The rows of a CMYK TIFF image, converted to sRGB by its profile.
final class TIFFCMYKRowSource: RowSource {
  let size: PixelSize
  let isOpaque = true

  private let reader: TIFFReader
  private let transform: ColorTransform
  private var cmyk: [UInt8]
  private var nextRow = 0

  /// - Parameter transform: A transform from ``ColorLayout/cmyk8``.
  init(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, transform: ColorTransform
  ) throws(ImageDecodingError) {
    reader = try TIFFReader(bytes, size: header.size)
    self.transform = transform
    size = header.size
    cmyk = Array(repeating: 0, count: header.size.width * 4)
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    try cmyk.withUnsafeMutableBufferPointer { (cmyk) throws(ImageDecodingError) in
      guard let start = cmyk.baseAddress else { return }
      try reader.readCMYK(row: nextRow, into: start)
      transform.convert(start, to: row, count: size.width)
    }
    nextRow += 1
  }

  func finish() {}
}
#endif
