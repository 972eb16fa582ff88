import CZlib
import Foundation

extension Data {
  /// The bytes as a server sends them with `Content-Encoding: gzip` (RFC 1952).
  var gzipped: Data {
    var stream = z_stream()
    // zlib writes a gzip header when 16 is added to the window bits.
    deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
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
