#if !IMAGEIO
import CHalcyonSPNG
import Foundation
import HalcyonImaging

/// Decodes one PNG image through libspng to RGBA with straight alpha, high dynamic range tone-mapped or to premultiplied half
/// floats.
struct PNGReader: ~Copyable {
  private let context: OpaquePointer
  private let size: PixelSize
  private let stream: PNGStream
  private let deepRow: DeepRow?
  /// The bits of a transparent colour that count: the others may have any value (PNG, 11.3.2.1, tRNS).
  private let transparencyMask: UInt16

  /// Starts reading an image.
  ///
  /// - Parameters:
  ///   - bytes: The file, which must outlive the reader.
  ///   - range: The signal, if the image is high dynamic range.
  ///   - isWhole: Whether it is complete and undamaged, as far as is known.
  init(
    _ bytes: UnsafeRawBufferPointer, header: PNGHeader, _ range: HighDynamicRange? = nil, isWhole: Bool
  ) throws(ImageDecodingError) {
    size = header.size
    transparencyMask = UInt16.max >> (16 - UInt16(header.bitDepth))
    deepRow = range.map { DeepRow(ToneMapper($0), width: header.size.width) }
    stream = PNGStream(bytes, header: header, isWhole: isWhole)
    // Some programs write a wrong Adler-32 checksum of all data, which browsers do not check: it is ignored where the
    // checksums of all chunks are right. Otherwise it finds damage of the last chunk, whose checksum libspng does not
    // check after the last row.
    let isIntact = stream.isInflated || isWhole && Self.hasIntactData(Bytes(bytes))
    guard let context = spng_ctx_new(isIntact ? Int32(SPNG_CTX_IGNORE_ADLER32.rawValue) : 0) else {
      throw .outOfMemory(size)
    }
    self.context = context
    spng_set_image_limits(context, UInt32(size.width), UInt32(size.height))
    if stream.isInflated {
      spng_set_crc_action(context, Int32(SPNG_CRC_USE.rawValue), Int32(SPNG_CRC_DISCARD.rawValue))
    }
    spng_set_png_stream(
      context,
      { _, stream, target, count in
        guard let stream, let target else { return SPNG_IO_ERROR.status }
        return Unmanaged<PNGStream>.fromOpaque(stream).takeUnretainedValue().read(target, count: count)
      },
      Unmanaged.passUnretained(stream).toOpaque())
  }

  deinit { spng_ctx_free(context) }

  /// Whether the checksums of all chunks with image data are right.
  private static func hasIntactData(_ bytes: Bytes) -> Bool {
    var chunks = PNGChunks(bytes)
    while let chunk = chunks.next() {
      if chunk.name == "IDAT", !chunk.isIntact(in: bytes) { return false }
    }
    return true
  }

  /// Reads the chunks before the image data and prepares to decode rows.
  func start() throws(ImageDecodingError) {
    var transparency = spng_trns()
    if spng_get_trns(context, &transparency) == SPNG_OK.status, transparency.n_type3_entries == 0 {
      for channel in [\spng_trns.gray, \.red, \.green, \.blue] { transparency[keyPath: channel] &= transparencyMask }
      try check(spng_set_trns(context, &transparency))
    }
    let flags = Int32(SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue)
    let format = deepRow == nil ? SPNG_FMT_RGBA8 : SPNG_FMT_RGBA16
    try check(spng_decode_image(context, nil, 0, Int32(format.rawValue), flags))
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
  ///
  /// - Parameter columns: The columns of the pass of an interlaced image: the others keep their values.
  func readRow(
    into row: UnsafeMutablePointer<UInt8>, columns: StrideTo<Int>? = nil
  ) throws(ImageDecodingError) -> Bool {
    let status =
      if let deepRow {
        deepRow.samples.withUnsafeMutableBytes { spng_decode_row(context, $0.baseAddress, $0.count) }
      } else {
        spng_decode_row(context, row, size.width * 4)
      }
    let hasMore = status != SPNG_EOI.status
    if hasMore { try check(status) }
    deepRow?.map(into: row, columns: columns)
    return hasMore
  }

  private static func isEnd(_ status: Int32) -> Bool {
    status == SPNG_IO_EOF.status || status == SPNG_EOF.status
  }

  private func check(_ status: Int32) throws(ImageDecodingError) {
    guard status != SPNG_OK.status else { return }
    if let failure = stream.failure { throw failure }
    if Self.isEnd(status) { throw .truncated(.png) }
    if status == SPNG_EMEM.status { throw .outOfMemory(size) }
    throw .corrupt(.png, reason: String(cString: spng_strerror(status)))
  }
}

/// A row with 16 bits per channel, and its conversion to 8 or to half floats.
private final class DeepRow {
  var samples: [UInt16]
  private let toneMapper: ToneMapper

  init(_ toneMapper: ToneMapper, width: Int) {
    self.toneMapper = toneMapper
    samples = Array(repeating: 0, count: width * 4)
  }

  func map(into row: UnsafeMutablePointer<UInt8>, columns: StrideTo<Int>?) {
    let count = samples.count / 4
    samples.withUnsafeBufferPointer { samples in
      guard let start = samples.baseAddress else { return }
      guard let columns else { return toneMapper.convert(start, count: count, to: row) }
      // All columns, which is faster than the columns of a pass one by one.
      let width = toneMapper.dynamicRange.bytesPerPixel
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * width) { mapped in
        guard let mapped = mapped.baseAddress else { return }
        toneMapper.convert(start, count: count, to: mapped)
        for column in columns { (row + column * width).update(from: mapped + column * width, count: width) }
      }
    }
  }
}

/// The file as libspng reads it: without the chunks that the pixels do not depend on.
private final class PNGStream {
  /// Why reading failed, if the image data was inflated here.
  private(set) var failure: ImageDecodingError?

  private let bytes: UnsafeRawBufferPointer
  private let leading: Data
  /// The position in the leading bytes, then in the file.
  private var offset = 0
  private var isInData = false
  private let dataOffset: Int
  #if ISAL
  private let inflated: PNGInflatedFile?
  #endif

  init(_ bytes: UnsafeRawBufferPointer, header: PNGHeader, isWhole: Bool) {
    self.bytes = bytes
    leading = header.leadingBytes(of: bytes)
    dataOffset = header.dataOffset
    #if ISAL
    inflated = isWhole ? PNGInflatedFile(bytes, header: header) : nil
    #endif
  }

  /// Whether the image data is inflated before libspng reads it.
  var isInflated: Bool {
    #if ISAL
    inflated != nil
    #else
    false
    #endif
  }

  /// Writes the next `count` bytes; returns a status of libspng.
  func read(_ target: UnsafeMutableRawPointer, count: Int) -> Int32 {
    var (target, count) = (target, count)
    if !isInData {
      let part = min(count, leading.count - offset)
      leading.withUnsafeBytes { leading in
        if let start = leading.baseAddress { target.copyMemory(from: start + offset, byteCount: part) }
      }
      (target, count, offset) = (target + part, count - part, offset + part)
      guard offset == leading.count else { return SPNG_OK.status }
      (isInData, offset) = (true, dataOffset)
    }
    guard count > 0 else { return SPNG_OK.status }
    #if ISAL
    if let inflated {
      do throws(ImageDecodingError) {
        try inflated.read(target, count: count)
        return SPNG_OK.status
      } catch {
        failure = failure ?? error
        return SPNG_IO_ERROR.status
      }
    }
    #endif
    guard let start = bytes.baseAddress, count <= bytes.count - offset else { return SPNG_IO_EOF.status }
    target.copyMemory(from: start + offset, byteCount: count)
    offset += count
    return SPNG_OK.status
  }
}

extension spng_errno {
  fileprivate var status: Int32 { Int32(truncatingIfNeeded: rawValue) }
}

/// The rows of a non-interlaced PNG image.
final class PNGRowSource: RowSource {
  var size: PixelSize { header.size }
  var isOpaque: Bool { !header.hasAlpha }

  let dynamicRange: DynamicRange

  private let header: PNGHeader
  private let reader: PNGReader
  private var hasMoreRows = true

  init(
    _ bytes: UnsafeRawBufferPointer, header: PNGHeader, _ range: HighDynamicRange? = nil, isWhole: Bool
  ) throws(ImageDecodingError) {
    self.header = header
    dynamicRange = range?.targetRange ?? .standard
    reader = try PNGReader(bytes, header: header, range, isWhole: isWhole)
    try reader.start()
  }

  func skipRows(_ count: Int) throws(ImageDecodingError) {
    var row = [UInt8](repeating: 0, count: size.width * dynamicRange.bytesPerPixel)
    try row.withUnsafeMutableBufferPointer { (row) throws(ImageDecodingError) in
      guard let start = row.baseAddress else { return }
      for _ in 0..<count { try decodeRow(into: start) }
    }
  }

  private func decodeRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    guard hasMoreRows else { throw .corrupt(.png, reason: "a row is missing") }
    hasMoreRows = try reader.readRow(into: row)
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    try decodeRow(into: row)
    if header.hasAlpha, dynamicRange == .standard { AlphaMath.premultiply(row, count: size.width) }
  }

  func finish() {}
}
#endif
