import CHalcyonZlib
package import Foundation

/// The decompressed content of deflated data, for example of `drawing.svgz`.
package struct InflatedContent {
  /// What surrounds the data, by zlib's number of it.
  package enum Wrapper: Int32, Sendable {
    /// RFC 1950.
    case zlib = 15
    /// RFC 1952.
    case gzip = 31
  }

  /// Where decompression ended.
  package enum End: Sendable {
    /// At the end of the file.
    case complete
    /// At the end of the bytes, which are the beginning of a file.
    case truncated
    /// At the limit.
    case overLimit
    /// At bytes that are not valid.
    case corrupt
  }

  /// The content up to the end.
  package private(set) var bytes: [UInt8] = []
  package private(set) var end = End.truncated

  /// The content, if it is complete.
  package var whole: Data? { end == .complete ? Data(bytes) : nil }

  /// Whether a file begins as gzip files with deflated content do.
  package static func isGzip(_ file: Data) -> Bool { file.starts(with: [0x1F, 0x8B, 0x08]) }

  /// A gzip file with a content.
  package static func gzip(_ content: Data) -> Data {
    var stream = z_stream()
    return withUnsafeMutablePointer(to: &stream) { stream in
      let size = Int32(MemoryLayout<z_stream>.size)
      let (level, memoryLevel): (Int32, Int32) = (6, 8)
      guard
        deflateInit2_(
          stream, level, Z_DEFLATED, Wrapper.gzip.rawValue, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
          == Z_OK
      else { return content }
      defer { deflateEnd(stream) }
      var file = Data(count: Int(deflateBound(stream, uLong(content.count))))
      let isComplete = content.withUnsafeBytes { content in
        file.withUnsafeMutableBytes { file in
          stream.pointee.next_in = UnsafeMutablePointer(mutating: content.bindMemory(to: UInt8.self).baseAddress)
          stream.pointee.avail_in = uInt(clamping: content.count)
          stream.pointee.next_out = file.bindMemory(to: UInt8.self).baseAddress
          stream.pointee.avail_out = uInt(clamping: file.count)
          return deflate(stream, Z_FINISH) == Z_STREAM_END
        }
      }
      guard isComplete else { return content }
      file.removeLast(Int(stream.pointee.avail_out))
      return file
    }
  }

  /// Decompresses the beginning of a file, at most `byteLimit` bytes of its content.
  package init(of file: Data, _ wrapper: Wrapper = .gzip, byteLimit: Int) {
    // zlib's state points back to the stream, which must not move.
    var stream = z_stream()
    withUnsafeMutablePointer(to: &stream) { stream in
      let size = Int32(MemoryLayout<z_stream>.size)
      // 16 more window bits: gzip only.
      guard inflateInit2_(stream, wrapper.rawValue, ZLIB_VERSION, size) == Z_OK else { return }
      defer { inflateEnd(stream) }
      file.withUnsafeBytes { read($0, through: stream, byteLimit) }
    }
  }

  private mutating func read(
    _ file: UnsafeRawBufferPointer, through stream: UnsafeMutablePointer<z_stream>, _ byteLimit: Int
  ) {
    stream.pointee.next_in = UnsafeMutablePointer(mutating: file.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = uInt(clamping: file.count)
    let pieceByteCount = min(64 << 10, byteLimit + 1)
    var status = Z_OK
    while status == Z_OK, bytes.count <= byteLimit {
      bytes += [UInt8](unsafeUninitializedCapacity: pieceByteCount) { piece, count in
        stream.pointee.next_out = piece.baseAddress
        stream.pointee.avail_out = uInt(piece.count)
        status = inflate(stream, Z_NO_FLUSH)
        count = piece.count - Int(stream.pointee.avail_out)
      }
    }
    if bytes.count > byteLimit {
      end = .overLimit
      bytes.removeLast(bytes.count - byteLimit)
    } else {
      end = status == Z_STREAM_END ? .complete : status == Z_BUF_ERROR ? .truncated : .corrupt
    }
  }
}
