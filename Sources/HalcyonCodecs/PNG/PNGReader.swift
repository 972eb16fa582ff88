#if !IMAGEIO
import HalcyonImaging
import CSPNG

/// Decodes one PNG image through libspng to RGBA with straight alpha.
struct PNGReader: ~Copyable {
  /// The limit of inflated metadata in bytes, as a few compressed bytes can expand to gigabytes.
  private static let metadataByteLimit = 4 << 20

  private let context: OpaquePointer
  private let size: PixelSize
  #if ISAL
  private let inflated: PNGInflatedFile?
  #endif

  /// Starts reading an image.
  ///
  /// - Parameters:
  ///   - bytes: The file, which must outlive the reader.
  ///   - isWhole: Whether it is complete, so that image data that ends early is an error.
  init(_ bytes: UnsafeRawBufferPointer, header: PNGHeader, isWhole: Bool) throws(ImageDecodingError) {
    size = header.size
    #if ISAL
    inflated = isWhole ? PNGInflatedFile(bytes, header: header) : nil
    let flags = inflated == nil ? 0 : Int32(SPNG_CTX_IGNORE_ADLER32.rawValue)
    #else
    let flags: Int32 = 0
    #endif
    guard let context = spng_ctx_new(flags) else { throw .outOfMemory(size) }
    self.context = context
    spng_set_image_limits(context, UInt32(size.width), UInt32(size.height))
    spng_set_chunk_limits(context, Self.metadataByteLimit, Self.metadataByteLimit)
    #if ISAL
    if let inflated {
      spng_set_crc_action(context, Int32(SPNG_CRC_USE.rawValue), Int32(SPNG_CRC_DISCARD.rawValue))
      spng_set_png_stream(
        context,
        { _, file, target, count in
          guard let file, let target else { return SPNG_IO_ERROR.status }
          let isRead = Unmanaged<PNGInflatedFile>.fromOpaque(file).takeUnretainedValue().read(target, count: count)
          return isRead ? SPNG_OK.status : SPNG_IO_ERROR.status
        },
        Unmanaged.passUnretained(inflated).toOpaque())
      return
    }
    #endif
    if !isWhole { ignoreChecksums() }
    spng_set_png_buffer(context, bytes.baseAddress, bytes.count)
  }

  deinit { spng_ctx_free(context) }

  /// Ignores wrong checksums, which a truncated chunk has.
  private func ignoreChecksums() {
    spng_set_crc_action(context, Int32(SPNG_CRC_USE.rawValue), Int32(SPNG_CRC_USE.rawValue))
  }

  /// Reads the chunks before the image data and prepares to decode rows.
  func start() throws(ImageDecodingError) {
    let flags = Int32(SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue)
    try check(spng_decode_image(context, nil, 0, Int32(SPNG_FMT_RGBA8.rawValue), flags))
  }

  /// The position of the next row, or `nil` after the last; a row of an interlaced image occurs in several passes.
  func nextRow() throws(ImageDecodingError) -> (index: Int, pass: Int)? {
    var row = spng_row_info()
    let status = spng_get_row_info(context, &row)
    if status == SPNG_EOI.status { return nil }
    try check(status)
    return (Int(row.row_num), Int(row.pass))
  }

  /// Writes the pixels of the next row; returns `false` after the last row of the image.
  func readRow(into row: UnsafeMutableRawPointer) throws(ImageDecodingError) -> Bool {
    let status = spng_decode_row(context, row, size.width * 4)
    if status == SPNG_EOI.status { return false }
    try check(status)
    return true
  }

  private static func isEnd(_ status: Int32) -> Bool {
    status == SPNG_IO_EOF.status || status == SPNG_EOF.status
  }

  private func check(_ status: Int32) throws(ImageDecodingError) {
    guard status != SPNG_OK.status else { return }
    #if ISAL
    if let failure = inflated?.failure { throw failure }
    #endif
    if Self.isEnd(status) { throw .truncated(.png) }
    if status == SPNG_ECHUNK_LIMITS.status { throw .unsupportedFeature(.png, feature: "metadata over 4 MiB") }
    if status == SPNG_EMEM.status { throw .outOfMemory(size) }
    throw .corrupt(.png, reason: String(cString: spng_strerror(status)))
  }
}

extension spng_errno {
  fileprivate var status: Int32 { Int32(truncatingIfNeeded: rawValue) }
}

/// The rows of a non-interlaced PNG image.
final class PNGRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let header: PNGHeader
  private let reader: PNGReader
  private let truncation: PartialImagePolicy
  private var hasMoreRows = true

  /// - Parameter truncation: If truncation is already found, missing rows are transparent instead of an error.
  init(_ bytes: UnsafeRawBufferPointer, header: PNGHeader, truncation: PartialImagePolicy) throws(ImageDecodingError) {
    self.header = header
    size = header.size
    isOpaque = !header.hasAlpha && !truncation.isFound
    self.truncation = truncation
    reader = try PNGReader(bytes, header: header, isWhole: !truncation.isFound)
    do throws(ImageDecodingError) {
      try reader.start()
    } catch {
      try acceptEnd(error)
    }
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    guard hasMoreRows || truncation.isFound else { throw .corrupt(.png, reason: "a row is missing") }
    do throws(ImageDecodingError) {
      if hasMoreRows {
        hasMoreRows = try reader.readRow(into: row)
        if header.hasAlpha { AlphaMath.premultiply(row, count: size.width) }
        return
      }
    } catch {
      try acceptEnd(error)
    }
    row.update(repeating: 0, count: size.width * 4)
  }

  func finish() {}

  /// Continues without further rows if the file is known to be truncated, otherwise rethrows.
  private func acceptEnd(_ error: ImageDecodingError) throws(ImageDecodingError) {
    guard truncation.isFound, error == .truncated(.png) else { throw error }
    hasMoreRows = false
  }
}
#endif
