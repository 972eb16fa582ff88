#if !IMAGEIO
import HalcyonImaging
import CHalcyonJPEGShim

/// Decodes one JPEG image through libjpeg-turbo.
///
/// After a method has thrown, no other method may be called.
struct JPEGReader: ~Copyable {
  /// The maximum number of scans. Photographs have about ten; each costs a pass over all coefficients.
  static let scanLimit: Int32 = 100

  private let handle: OpaquePointer
  private let size: PixelSize
  private let truncation: PartialImagePolicy

  /// Starts reading an image of `size` pixels; `bytes` must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer, size: PixelSize, truncation: PartialImagePolicy) throws(ImageDecodingError) {
    // Four components of two-byte coefficients in whole MCUs of up to four by four blocks, plus row buffers.
    let memoryLimit = (size.width + 64) * (size.height + 64) * 10 + (16 << 20)
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    guard let handle = jpeg_shim_reader_create(start, bytes.count, Self.scanLimit, memoryLimit) else {
      throw .outOfMemory(size)
    }
    self.handle = handle
    if truncation.isAccepted { jpeg_shim_accept_truncation(handle) }
    self.size = size
    self.truncation = truncation
  }

  deinit { jpeg_shim_reader_destroy(handle) }

  func readHeader() throws(ImageDecodingError) -> jpeg_shim_header {
    var header = jpeg_shim_header()
    try check(jpeg_shim_read_header(handle, &header))
    guard header.width == size.width, header.height == size.height else {
      throw .corrupt(.jpeg, reason: "it has two frame headers")
    }
    return header
  }

  /// The plane layout that ``start(_:scale:isCancelled:)`` would return; known after the header.
  func plan(scale: JPEGScale) throws(ImageDecodingError) -> jpeg_shim_layout {
    var layout = jpeg_shim_layout()
    try check(jpeg_shim_plan(handle, scale.rawValue, &layout))
    return layout
  }

  /// Starts decoding, and reads all scans of a progressive image, checking for cancellation before each row of MCUs.
  func start(
    _ output: jpeg_shim_output, scale: JPEGScale, isCancelled: () -> Bool
  ) throws(ImageDecodingError) -> jpeg_shim_layout {
    var layout = jpeg_shim_layout()
    try check(jpeg_shim_start(handle, output, scale.rawValue, &layout))
    var done = false
    while !done {
      if isCancelled() { throw .cancelled }
      try check(jpeg_shim_consume_input(handle, &done))
    }
    return layout
  }

  /// Writes one interleaved row, four bytes per pixel.
  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    try check(jpeg_shim_read_row(handle, row))
  }

  /// Writes the next group of rows of every plane.
  func readGroup(into rows: UnsafePointer<UnsafeMutablePointer<UInt8>?>) throws(ImageDecodingError) {
    try check(jpeg_shim_read_group(handle, rows))
  }

  /// Limits interleaved rows to some columns, before the first row.
  ///
  /// - Returns: The column of the first pixel of the rows.
  func crop(to columns: Range<Int>) throws(ImageDecodingError) -> Int {
    var left = columns.lowerBound
    try check(jpeg_shim_crop(handle, &left, columns.count))
    return left
  }

  /// Skips interleaved rows.
  func skipRows(_ count: Int) throws(ImageDecodingError) { try check(jpeg_shim_skip_rows(handle, count)) }

  /// Skips a group of rows of every plane.
  func skipGroup() throws(ImageDecodingError) { try check(jpeg_shim_skip_group(handle)) }

  /// Finishes decoding, and records whether the data is truncated or damaged.
  func finish() throws(ImageDecodingError) {
    try check(jpeg_shim_finish(handle))
    recordDamage()
  }

  /// Records whether the data that has been read is truncated or damaged.
  func recordDamage() {
    truncation.isFound = jpeg_shim_is_truncated(handle)
    truncation.isDamaged = jpeg_shim_is_damaged(handle)
  }

  private func check(_ status: jpeg_shim_status) throws(ImageDecodingError) {
    switch status {
    case jpeg_shim_ok: return
    case jpeg_shim_truncated: throw .truncated(.jpeg)
    case jpeg_shim_out_of_memory: throw .outOfMemory(size)
    default: throw .corrupt(.jpeg, reason: String(cString: jpeg_shim_reader_message(handle)))
    }
  }
}
#endif
