import HalcyonImaging
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
