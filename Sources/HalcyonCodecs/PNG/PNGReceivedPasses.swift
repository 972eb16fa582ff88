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
        let (status, count) = Inflation.fill(&piece, from: &stream)
        total += count
        guard status == Z_OK, total < enough else { return total }
      }
    }
    // Output that zlib still holds.
    while true {
      let (status, count) = Inflation.fill(&piece, from: &stream)
      total += count
      if status != Z_OK || count == 0 || total >= enough { return total }
    }
  }
}

extension PNGChunks {
  /// The content of the image data chunks, the last of which may be incomplete.
  fileprivate static func dataRanges(in file: UnsafeRawBufferPointer) -> [Range<Int>] {
    let bytes = Bytes(file)
    var ranges: [Range<Int>] = []
    var offset = 8
    while let length = bytes.unsigned32(at: offset), let type = bytes.text(at: offset + 4, count: 4) {
      let content = (offset + 8..<offset + 8 + length).clamped(to: 0..<file.count)
      if type == "IDAT", !content.isEmpty { ranges.append(content) }
      offset += 12 + length
    }
    return ranges
  }
}

extension PNGHeader {
  fileprivate var bitsPerPixel: Int {
    switch colorType {
    case .grey, .palette: bitDepth
    case .greyAlpha: bitDepth * 2
    case .rgb: bitDepth * 3
    case .rgba: bitDepth * 4
    }
  }
}
