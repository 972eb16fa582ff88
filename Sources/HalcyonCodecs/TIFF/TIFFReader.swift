#if !IMAGEIO
import HalcyonImaging
import Foundation
import CHalcyonTIFFShim

/// Decodes a page of a TIFF file through libtiff as premultiplied RGBA.
struct TIFFReader: ~Copyable {
  /// The lower bound of libtiff's allocation limit, in bytes.
  private static let minimumAllocationLimit = 64 << 20

  private let handle: OpaquePointer
  let rowsPerRead: Int

  private static func open(
    _ bytes: UnsafeRawBufferPointer, _ header: TIFFHeader
  ) throws(ImageDecodingError) -> OpaquePointer {
    let allocationLimit = max(minimumAllocationLimit, header.size.pixelCount * 16)
    // Without mapping, libtiff 4.5 refuses uncompressed tiles whose size is no multiple of 1,024 bytes.
    let isMapped = header.isTiled && header.compression == 1
    if isMapped, header.isTruncated(byteCount: bytes.count) { throw .truncated(.tiff) }
    guard
      let handle = tiff_shim_open(
        bytes.baseAddress, bytes.count, UInt64(header.directory), allocationLimit, isMapped)
    else { throw .outOfMemory(header.size) }
    return handle
  }

  /// Opens a file to read its samples as they are stored; `nil` if they are stored otherwise.
  init?(_ bytes: UnsafeRawBufferPointer, _ header: TIFFHeader, samples: TIFFSamples) throws(ImageDecodingError) {
    let handle = try Self.open(bytes, header)
    guard
      tiff_shim_start_samples(
        handle, UInt32(clamping: header.size.width), UInt32(clamping: header.size.height),
        UInt16(clamping: samples.count), UInt16(clamping: header.bitDepth))
    else {
      tiff_shim_close(handle)
      return nil
    }
    self.handle = handle
    rowsPerRead = 1
  }

  /// Opens a file; `bytes` must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer, _ header: TIFFHeader) throws(ImageDecodingError) {
    let (handle, size) = (try Self.open(bytes, header), header.size)
    guard tiff_shim_start(handle) else {
      let message = String(cString: tiff_shim_message(handle))
      let isTruncated = tiff_shim_is_truncated(handle)
      tiff_shim_close(handle)
      throw isTruncated
        ? .truncated(.tiff)
        : .unsupportedFeature(
          .tiff, feature: "a layout that libtiff cannot decode (\(message.isEmpty ? "it gives no reason" : message))")
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

  /// Limits reads to some columns.
  ///
  /// - Returns: The columns that are read.
  func limit(to columns: Range<Int>) -> Range<Int> {
    var (left, width) = (UInt32(columns.lowerBound), UInt32(columns.count))
    tiff_shim_limit(handle, &left, &width)
    return Int(left)..<Int(left) + Int(width)
  }

  /// Writes the samples of a row; rows must be read from top to bottom.
  func readSamples(row: Int, into samples: UnsafeMutableRawPointer) throws(ImageDecodingError) {
    try check(tiff_shim_read_samples(handle, UInt32(row), samples))
  }

  /// The colours of a palette.
  struct Palette {
    private let bytes: [UInt8]

    fileprivate init(_ channels: [UnsafePointer<UInt16>], count: Int) {
      // Some writers store 8-bit values, without scaling them to 16 bits.
      let hasBytes = channels.allSatisfy { channel in (0..<count).allSatisfy { channel[$0] <= 255 } }
      bytes = (0..<count).flatMap { index in
        channels.map { UInt8(hasBytes ? UInt32($0[index]) : (UInt32($0[index]) * 255 + 32_767) / 65_535) }
      }
    }

    /// Writes red, green and blue.
    func write(_ index: Int, to target: UnsafeMutablePointer<UInt8>) {
      for channel in 0..<3 { target[channel] = bytes[index * 3 + channel] }
    }
  }

  /// The palette for indices of a number of bits; `nil` without one.
  func palette(bits: Int) -> Palette? {
    var (red, green, blue): (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?) = (nil, nil, nil)
    guard bits <= 16, tiff_shim_palette(handle, &red, &green, &blue), let red, let green, let blue else { return nil }
    return Palette([red, green, blue], count: 1 << bits)
  }

  /// Writes stored rows; `row` is a multiple of ``rowsPerRead``.
  func read(_ row: Int, count: Int, into pixels: UnsafeMutablePointer<UInt32>) throws(ImageDecodingError) {
    try check(tiff_shim_read(handle, UInt32(row), UInt32(count), pixels))
  }

  private func check(_ isRead: Bool) throws(ImageDecodingError) {
    guard !isRead else { return }
    if tiff_shim_is_truncated(handle) { throw .truncated(.tiff) }
    let message = String(cString: tiff_shim_message(handle))
    throw .corrupt(.tiff, reason: message.isEmpty ? "libtiff cannot decode its pixels and gives no reason" : message)
  }
}

/// The rows of a TIFF image, read one strip or row of tiles at a time.
final class TIFFRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let reader: TIFFReader
  /// Whether colours are multiplied by alpha here; libtiff does it for all but greys.
  private let multiplies: Bool
  private let isCancelled: () -> Bool
  /// The rows that are read at once.
  private var group: UnsafeMutablePointer<UInt32>?
  private var groupEnd = 0
  /// The columns of the group.
  private var columns: Range<Int>
  /// The end of the rows that are needed.
  private var lastRow: Int
  private var nextRow = 0

  init(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    reader = try TIFFReader(bytes, header)
    self.isCancelled = isCancelled
    size = header.size
    (columns, lastRow) = (0..<header.size.width, header.size.height)
    isOpaque = !header.hasAlpha
    multiplies = header.hasUnassociatedAlpha && header.isGrey
  }

  deinit { free(group) }

  func limit(to area: PixelArea) {
    columns = reader.limit(to: area.left..<area.left + area.width)
    lastRow = area.top + area.height
  }

  func skipRows(_ count: Int) { nextRow += count }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    let index = nextRow % reader.rowsPerRead
    if nextRow >= groupEnd { try readGroup(from: nextRow - index) }
    guard let group else { return }
    nextRow += 1
    let (pixels, row) = (group + index * columns.count, row + columns.lowerBound * 4)
    row.update(from: UnsafeRawPointer(pixels).assumingMemoryBound(to: UInt8.self), count: columns.count * 4)
    if isOpaque {
      AlphaMath.makeOpaque(UnsafeMutableRawBufferPointer(start: row, count: columns.count * 4))
    } else if multiplies {
      AlphaMath.premultiply(row, count: columns.count)
    } else {
      AlphaMath.clamp(row, count: columns.count)
    }
  }

  private func readGroup(from first: Int) throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
    let group = group ?? calloc(columns.count * reader.rowsPerRead, 4)?.assumingMemoryBound(to: UInt32.self)
    guard let group else { throw .outOfMemory(size) }
    self.group = group
    groupEnd = min(first + reader.rowsPerRead, lastRow)
    try reader.read(first, count: groupEnd - first, into: group)
  }

  func finish() {}
}
#endif
