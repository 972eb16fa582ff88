import CHalcyonZlib
public import Foundation

extension Data {
  /// A format of deflated data.
  public enum DeflateFormat: Int32, Sendable {
    /// RFC 1952.
    case gzip = 31
    /// RFC 1950.
    case zlib = 15
    /// RFC 1951, without a header.
    case raw = -15
  }

  /// The bytes as a server sends them with `Content-Encoding: gzip`.
  public var gzipped: Data { deflated(.gzip) }

  /// The bytes in a compressed format.
  public func deflated(_ format: DeflateFormat) -> Data {
    var stream = z_stream()
    deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, format.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(count))))
    var input = [UInt8](self)
    let outputCount = output.count
    input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        deflate(&stream, Z_FINISH)
      }
    }
    return Data(output.prefix(outputCount - Int(stream.avail_out)))
  }
}
