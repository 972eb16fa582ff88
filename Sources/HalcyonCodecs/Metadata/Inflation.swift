import CZlib
import Foundation

/// Inflates small pieces of compressed metadata (RFC 1950).
enum Inflation {
  /// The inflated bytes; `nil` where they are damaged, cut or more than the limit.
  ///
  /// - Parameter byteLimit: The most bytes of the result, at least 1.
  static func inflated(_ bytes: UnsafeRawBufferPointer, byteLimit: Int) -> Data? {
    var stream = z_stream()
    guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    stream.next_in = UnsafeMutablePointer(mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
    stream.avail_in = uInt(bytes.count)
    var output = Data()
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while output.count <= byteLimit {
      let (status, count) = fill(&piece, from: &stream)
      output.append(contentsOf: piece.prefix(count))
      if status == Z_STREAM_END { return output.count <= byteLimit ? output : nil }
      guard status == Z_OK, count > 0 else { return nil }
    }
    return nil
  }

  private static func fill(_ piece: inout [UInt8], from stream: inout z_stream) -> (status: Int32, count: Int) {
    piece.withUnsafeMutableBufferPointer { piece in
      stream.next_out = piece.baseAddress
      stream.avail_out = uInt(piece.count)
      let status = inflate(&stream, Z_NO_FLUSH)
      return (status, piece.count - Int(stream.avail_out))
    }
  }
}
