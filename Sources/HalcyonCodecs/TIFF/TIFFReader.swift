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

  /// Writes the samples of a row; rows must be read in order.
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
  private let group: UnsafeMutablePointer<UInt32>
  private var nextRow = 0

  init(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    let reader = try TIFFReader(bytes, header)
    guard let group = calloc(header.size.width * reader.rowsPerRead, 4) else { throw .outOfMemory(header.size) }
    self.group = group.assumingMemoryBound(to: UInt32.self)
    self.reader = reader
    self.isCancelled = isCancelled
    size = header.size
    isOpaque = !header.hasAlpha
    multiplies = header.hasUnassociatedAlpha && header.isGrey
  }

  deinit { free(group) }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    let index = nextRow % reader.rowsPerRead
    if index == 0 {
      if isCancelled() { throw .cancelled }
      try reader.read(nextRow, count: min(reader.rowsPerRead, size.height - nextRow), into: group)
    }
    nextRow += 1
    let pixels = group + index * size.width
    row.update(from: UnsafeRawPointer(pixels).assumingMemoryBound(to: UInt8.self), count: size.width * 4)
    if isOpaque {
      AlphaMath.makeOpaque(UnsafeMutableRawBufferPointer(start: row, count: size.width * 4))
    } else if multiplies {
      AlphaMath.premultiply(row, count: size.width)
    } else {
      AlphaMath.clamp(row, count: size.width)
    }
  }

  func finish() {}
}
#endif
