#if canImport(CHalcyonCurlShim)
import CHalcyonZlib
import Foundation
import HalcyonHTTP

/// Decompresses `gzip` and `deflate` (RFC 9110, 8.4.1), a bounded piece at a time.
///
/// Unchecked: used by one reader at a time, under the lock of ``DecodedBody``.
final class Inflater: @unchecked Sendable {
  /// The most bytes of one piece.
  static let pieceByteCount = 64 << 10

  // zlib's state points back to the stream, which must therefore not move.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var input = Data()
  private var hasBegun = false
  /// Whether a stream has ended; another member may follow (RFC 1952, 2.2).
  private var isBetweenMembers = false
  private var outputByteCount = 0
  /// Whether zlib holds output that did not fit into the last piece.
  private var hasPendingOutput = false
  /// Whether bytes follow the compressed data, which are ignored, as browsers do.
  private var hasOtherBytes = false

  init() {
    stream.initialize(to: z_stream())
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether all bytes so far are whole streams with correct checksums.
  private var isAtEnd: Bool { isBetweenMembers && input.isEmpty }

  /// Whether the compressed data has ended: other bytes follow, or as many have been decompressed as were declared.
  func hasEnded(atByteCount declared: Int?) -> Bool { hasOtherBytes || isAtEnd && outputByteCount == declared }

  /// Adds compressed bytes.
  func add(_ bytes: Data) {
    if input.isEmpty { input = bytes } else { input.append(bytes) }
  }

  /// The next decompressed bytes, at most ``pieceByteCount``; `nil` when more compressed bytes are needed.
  func next() throws(TransportError) -> Data? {
    while hasPendingOutput || !input.isEmpty, !hasOtherBytes {
      guard try begin(), nextMember() else { return nil }
      let piece = try inflatedPiece()
      if !piece.isEmpty { return piece }
    }
    return nil
  }

  /// Chooses the format by its first two bytes, since some servers send raw deflate data as `deflate`.
  ///
  /// - Returns: Whether there are enough bytes.
  private func begin() throws(TransportError) -> Bool {
    guard !hasBegun else { return true }
    guard input.count >= 2 else { return false }
    let head = input.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    let isZlib = head >> 8 & 0x0f == 8 && head % 31 == 0
    // 32 more window bits: zlib detects zlib or gzip. Negative ones: raw data.
    let windowBits = isZlib || head == 0x1f8b ? MAX_WBITS + 32 : -MAX_WBITS
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
      throw .failed(reason: "zlib could not be started")
    }
    hasBegun = true
    return true
  }

  /// Begins the next member of a gzip file, if one stream has ended.
  private func nextMember() -> Bool {
    guard isBetweenMembers else { return true }
    guard input.first == 0x1f else {
      hasOtherBytes = true
      return false
    }
    isBetweenMembers = false
    return inflateReset(stream) == Z_OK
  }

  private func inflatedPiece() throws(TransportError) -> Data {
    let (status, used, piece) = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceByteCount) { output in
      input.withUnsafeBytes { input in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = uInt(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = uInt(output.count)
        let status = inflate(stream, Z_NO_FLUSH)
        let piece = Data(output.prefix(output.count - Int(stream.pointee.avail_out)))
        return (status, input.count - Int(stream.pointee.avail_in), piece)
      }
    }
    outputByteCount += piece.count
    input = used == input.count ? Data() : input.dropFirst(used)
    isBetweenMembers = status == Z_STREAM_END
    hasPendingOutput = status == Z_OK && piece.count == Self.pieceByteCount
    // Z_BUF_ERROR means that zlib needs more input or output.
    guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else {
      throw .badContentEncoding(reason: stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")
    }
    return piece
  }
}
#endif
