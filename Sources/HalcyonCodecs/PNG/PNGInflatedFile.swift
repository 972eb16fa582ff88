#if ISAL && !IMAGEIO
import CHalcyonISAL
import Foundation
import HalcyonImaging
import CHalcyonSystemShim

/// A PNG file whose image data is inflated by ISA-L, in half the time of zlib, while libspng reads it. The filters of the rows
/// of most images are reversed, too: some builds of libspng take four times as long.
///
/// libspng inflates with zlib only. It therefore reads another file, in which each `IDAT` chunk has one stored block of
/// inflated data (RFC 1951, 3.2.4), which zlib only copies. The chunks after it are as in the file. libspng must not check
/// the checksums of critical chunks, which are checked here.
final class PNGInflatedFile {
  /// The most bytes of a stored block.
  private static let blockByteCount = 65_535
  /// Below so many bytes of image data, setting up ISA-L is not worth it.
  private static let minimumByteCount = 64 << 10

  private let bytes: UnsafeRawBufferPointer
  private let state: UnsafeMutablePointer<inflate_state>
  /// The chunks that have not been inflated.
  private var chunks: PNGChunks
  /// The range of the file that is copied next: what follows its image data.
  private var (offset, copyEnd) = (0, 0)
  /// The bytes of the image that have not been inflated.
  private var remainingByteCount: Int
  /// The inflated bytes still to come in the current block.
  private var blockRemainder = 0
  private var isFirstBlock = true
  /// The filter and the bytes of the current row and of the one before, and a row as it is inflated. Some bytes follow.
  private var rows: (current: UnsafeMutablePointer<UInt8>, previous: UnsafeMutablePointer<UInt8>)
  private var inflated: UnsafeMutablePointer<UInt8>
  private let rowByteCount: Int
  private let pixelByteCount: Int
  private var rowOffset: Int
  /// Bytes of the other file that come next.
  private var pending: [UInt8] = []
  private var pendingOffset = 0

  /// The file from its image data on; `nil` for small and interlaced images, and for files that libspng rejects itself.
  ///
  /// - Parameter bytes: A whole file, which must outlive this object.
  init?(_ bytes: UnsafeRawBufferPointer, header: PNGHeader) {
    let rowByteCount = (header.size.width * header.bitsPerPixel + 7) / 8 + 1
    let (byteCount, isTooLarge) = rowByteCount.multipliedReportingOverflow(by: header.size.height)
    guard !header.isInterlaced, !isTooLarge, byteCount >= Self.minimumByteCount,
      header.essentialChunks.allSatisfy({ $0.isIntact(in: Bytes(bytes)) }),
      let memory = malloc(MemoryLayout<inflate_state>.size)
    else { return nil }
    state = memory.bindMemory(to: inflate_state.self, capacity: 1)
    isal_inflate_init(state)
    state.pointee.crc_flag = UInt32(ISAL_ZLIB)
    self.bytes = bytes
    chunks = PNGChunks(Bytes(bytes), from: header.dataOffset)
    remainingByteCount = byteCount
    (self.rowByteCount, rowOffset, pixelByteCount) = (rowByteCount, rowByteCount, header.bitsPerPixel / 8)
    func row() -> UnsafeMutablePointer<UInt8> {
      let row = UnsafeMutablePointer<UInt8>.allocate(capacity: rowByteCount + 3)
      row.initialize(repeating: 0, count: rowByteCount + 3)
      return row
    }
    (rows, inflated) = ((row(), row()), row())
  }

  deinit {
    for row in [rows.current, rows.previous, inflated] { row.deallocate() }
    free(state)
  }

  /// Writes the next bytes of the other file.
  func read(_ target: UnsafeMutableRawPointer, count: Int) throws(ImageDecodingError) {
    var (target, count) = (target, count)
    while count > 0 {
      let part = try readPart(target, count: count)
      target += part
      count -= part
    }
  }

  private func readPart(_ target: UnsafeMutableRawPointer, count: Int) throws(ImageDecodingError) -> Int {
    if offset < copyEnd {
      let part = min(count, copyEnd - offset)
      target.copyMemory(from: bytes.baseAddress! + offset, byteCount: part)
      offset += part
      return part
    }
    if pendingOffset < pending.count {
      let part = min(count, pending.count - pendingOffset)
      pending.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + pendingOffset, byteCount: part) }
      pendingOffset += part
      return part
    }
    if blockRemainder > 0 {
      if rowOffset == rowByteCount { try readRow() }
      let part = min(count, blockRemainder, rowByteCount - rowOffset)
      target.copyMemory(from: rows.current + rowOffset, byteCount: part)
      (rowOffset, blockRemainder) = (rowOffset + part, blockRemainder - part)
      if blockRemainder == 0 { endBlock() }
      return part
    }
    guard remainingByteCount > 0 else { throw .truncated(.png) }
    startBlock()
    return 0
  }

  /// Announces a chunk with one stored block; the first one starts with the header of the zlib format (RFC 1950, 2.2).
  private func startBlock() {
    blockRemainder = min(remainingByteCount, Self.blockByteCount)
    remainingByteCount -= blockRemainder
    let (isFirst, isLast) = (isFirstBlock, remainingByteCount == 0)
    isFirstBlock = false
    let chunkByteCount = (isFirst ? 2 : 0) + 5 + blockRemainder + (isLast ? 4 : 0)
    let length = UInt16(blockRemainder)
    var start = withUnsafeBytes(of: UInt32(chunkByteCount).bigEndian) { Array($0) } + Array("IDAT".utf8)
    if isFirst { start += [0x78, 0x01] }
    start.append(isLast ? 1 : 0)
    for number in [length, ~length] { withUnsafeBytes(of: number.littleEndian) { start += Array($0) } }
    (pending, pendingOffset) = (start, 0)
  }

  /// Ends a chunk with a checksum, which is not checked; the last one also with the checksum of the zlib format.
  private func endBlock() {
    let isLast = remainingByteCount == 0
    (pending, pendingOffset) = ([UInt8](repeating: 0, count: isLast ? 8 : 4), 0)
    guard isLast else { return }
    // The chunks after the image data.
    var rest = chunks
    while let chunk = rest.next(), chunk.name == "IDAT" { chunks = rest }
    (offset, copyEnd) = (chunks.offset, bytes.count)
  }

  private func readRow() throws(ImageDecodingError) {
    try inflate(into: inflated, count: rowByteCount)
    rows = (rows.previous, rows.current)
    rowOffset = 0
    #if DEBUG && !OPTIMIZED
    // Without optimisation libspng is faster.
    let pixelByteCount = 0
    #endif
    guard (1...4).contains(inflated[0]), (3...4).contains(pixelByteCount) else {
      return swap(&rows.current, &inflated)
    }
    rows.current[0] = 0
    PNGFilter.reverse(
      inflated[0], of: inflated + 1, after: rows.previous + 1, into: rows.current + 1,
      pixelCount: rowByteCount / pixelByteCount, bytesPerPixel: pixelByteCount)
  }

  private func inflate(into target: UnsafeMutableRawPointer, count: Int) throws(ImageDecodingError) {
    state.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
    state.pointee.avail_out = UInt32(count)
    defer { halcyon_clear_upper_halves() }
    while state.pointee.avail_out > 0 {
      let (input, output) = (state.pointee.avail_in, state.pointee.avail_out)
      let status = isal_inflate(state)
      // A wrong checksum of all data is found after it.
      let isInflated = status == ISAL_INCORRECT_CHECKSUM && state.pointee.avail_out == 0
      guard isInflated || [ISAL_DECOMP_OK, ISAL_END_INPUT, ISAL_OUT_OVERFLOW].contains(status) else {
        throw .corrupt(.png, reason: "its image data cannot be inflated")
      }
      // Without further input ISA-L may still hold output.
      if state.pointee.avail_in == input, state.pointee.avail_out == output {
        guard input == 0, state.pointee.block_state != ISAL_BLOCK_FINISH else { throw Self.endsEarly }
        try openNextChunk()
      }
    }
  }

  private static let endsEarly = ImageDecodingError.corrupt(.png, reason: "its image data ends early")

  private func openNextChunk() throws(ImageDecodingError) {
    while let chunk = chunks.next(), chunk.name == "IDAT" {
      guard isIntact(chunk) else { throw .corrupt(.png, reason: "the checksum of its image data is wrong") }
      guard !chunk.content.isEmpty else { continue }
      let start = bytes.baseAddress.map { $0 + chunk.content.lowerBound }
      state.pointee.next_in = UnsafeMutablePointer(mutating: start?.assumingMemoryBound(to: UInt8.self))
      state.pointee.avail_in = UInt32(chunk.content.count)
      return
    }
    throw Self.endsEarly
  }

  /// As for ``PNGChunk``, by the faster checksum of ISA-L.
  private func isIntact(_ chunk: PNGChunk) -> Bool {
    let checked = Bytes(bytes)[chunk.content.lowerBound - 4..<chunk.content.upperBound].buffer
    let start = checked.bindMemory(to: UInt8.self).baseAddress
    let sum = crc32_gzip_refl(0, UnsafeMutablePointer(mutating: start), UInt64(checked.count))
    return Bytes(bytes).bits32(at: chunk.content.upperBound) == sum
  }
}
#endif
