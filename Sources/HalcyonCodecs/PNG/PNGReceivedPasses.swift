import CHalcyonZlib
import Foundation
import HalcyonImaging

/// How many passes of an interlaced PNG image have been received, from the size of its inflated data.
///
/// For codecs that do not say how far they have decoded a file.
struct PNGReceivedPasses {
  private static let pieceByteCount = 16 << 10

  private let header: PNGHeader

  init(_ header: PNGHeader) {
    self.header = header
  }

  /// The number of complete passes, 0 to 7.
  func count(in file: UnsafeRawBufferPointer) -> Int {
    var rest = inflatedByteCount(in: file)
    for pass in 0..<Adam7.passCount {
      rest -= byteCount(ofPass: pass)
      if rest < 0 { return pass }
    }
    return Adam7.passCount
  }

  private func byteCount(ofPass pass: Int) -> Int {
    let size = Adam7(pass: pass).size(of: header.size)
    guard size.width > 0, size.height > 0 else { return 0 }
    // Each row begins with the type of its filter.
    return size.height * (1 + (size.width * header.bitsPerPixel + 7) / 8)
  }

  /// The number of bytes to which the received image data inflates, up to damage; counting stops when they are enough.
  private func inflatedByteCount(in file: UnsafeRawBufferPointer) -> Int {
    var stream = z_stream()
    guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return 0 }
    defer { inflateEnd(&stream) }
    var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
    var total = 0
    let enough = (0..<Adam7.passCount).reduce(0) { $0 + byteCount(ofPass: $1) }
    for range in PNGChunks.dataRanges(in: file) {
      stream.next_in = UnsafeMutablePointer(
        mutating: UnsafeRawBufferPointer(rebasing: file[range]).bindMemory(to: UInt8.self).baseAddress)
      stream.avail_in = uInt(range.count)
      while stream.avail_in > 0 {
        let (status, count) = Self.fill(&piece, from: &stream)
        total += count
        guard status == Z_OK, total < enough else { return total }
      }
    }
    // Output that zlib still holds.
    while true {
      let (status, count) = Self.fill(&piece, from: &stream)
      total += count
      if status != Z_OK || count == 0 || total >= enough { return total }
    }
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

extension PNGChunks {
  /// The content of the image data chunks, the last of which may be incomplete.
  fileprivate static func dataRanges(in file: UnsafeRawBufferPointer) -> [Range<Int>] {
    var chunks = PNGChunks(Bytes(file))
    var ranges: [Range<Int>] = []
    while let chunk = chunks.next() { if chunk.name == "IDAT" { ranges.append(chunk.content) } }
    if let rest = chunks.incomplete, rest.name == "IDAT" { ranges.append(rest.content) }
    return ranges.filter { !$0.isEmpty }
  }
}
