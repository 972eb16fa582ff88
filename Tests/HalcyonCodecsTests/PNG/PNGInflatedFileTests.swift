#if ISAL && !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Images large enough for ISA-L, read with it and without.
@Suite(.integrationTest, .slow)
struct PNGInflatedFileTests {
  private static let size = PixelSize(width: 331, height: 270)
  private static let kinds: [(type: UInt8, depth: UInt8)] = [
    (0, 8), (0, 16), (2, 8), (2, 16), (3, 8), (4, 8), (4, 16), (6, 8), (6, 16),
  ]

  @Test(arguments: kinds)
  func `rows are the same as with zlib`(_ type: UInt8, _ depth: UInt8) throws {
    for chunkByteCount in [1 << 20, 65_535, 1000] {
      let file = SamplePNG(type: type, depth: depth, chunkByteCount: chunkByteCount).file
      try expectSameRows(file)
    }
  }

  @Test func `compressed rows are the same as with zlib`() throws {
    let bitmap = try Bitmap.gradient(400, 300)
    try expectSameRows(PNGEncoder().encode(bitmap, options: EncodingOptions()))
  }

  @Test func `chunks without data, and chunks after the data, change nothing`() throws {
    var sample = SamplePNG(type: 6, depth: 8, chunkByteCount: 30_000)
    sample.emptyChunkCount = 3
    sample.end = SamplePNG.chunk("tEXt", Array("Title\0end".utf8)) + sample.end
    try expectSameRows(sample.file)
  }

  @Test func `a small image, an interlaced one and one with a damaged header are left to libspng`() throws {
    let whole = SamplePNG(type: 6, depth: 8).file
    #expect(try inflates(whole))
    #expect(try !inflates(PNGEncoder().encode(Bitmap.gradient(20, 20), options: EncodingOptions())))
    var interlaced = SamplePNG(type: 6, depth: 8)
    interlaced.interlace = 1
    #expect(try !inflates(interlaced.file))
    var damaged = whole
    damaged[30] ^= 1
    #expect(try !inflates(damaged))
    #expect(throws: ImageDecodingError.self) { try decode(damaged) }
  }

  @Test func `a wrong checksum of the data is an error`() throws {
    var file = SamplePNG(type: 2, depth: 8, chunkByteCount: 100_000).file
    let data = try #require(file.firstRange(of: Data("IDAT".utf8)))
    file[data.upperBound + 100_000] ^= 1
    #expect(throws: ImageDecodingError.corrupt(.png, reason: "the checksum of its image data is wrong")) {
      try decode(file)
    }
  }

  @Test func `data that ends early is an error, and data after the last row is none`() throws {
    var sample = SamplePNG(type: 2, depth: 8)
    sample.rowCount -= 1
    #expect(throws: ImageDecodingError.corrupt(.png, reason: "its image data ends early")) { try decode(sample.file) }
    sample.rowCount += 3
    #expect(try decode(sample.file).size == Self.size)
    sample.rowCount = 100
    sample.isLastBlockMarked = false
    #expect(throws: ImageDecodingError.corrupt(.png, reason: "its image data ends early")) { try decode(sample.file) }
  }

  @Test(arguments: [0, 1, 2, 3, 5000])
  func `data that cannot be inflated is an error`(_ offset: Int) throws {
    var sample = SamplePNG(type: 2, depth: 8)
    // The header of the zlib format, or of a stored block, whose length is followed by its complement.
    sample.compressedByteToFlip = offset < 5000 ? offset : 2 + 5 + 65_535 + 3
    let error = #expect(throws: ImageDecodingError.self) { try decode(sample.file) }
    if case .corrupt(.png, _) = error { return }
    Issue.record("\(String(describing: error))")
  }

  private func decode(_ file: Data) throws -> Bitmap {
    try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
  }

  private func inflates(_ file: Data) throws -> Bool {
    try file.withUnsafeBytes { buffer in
      PNGInflatedFile(buffer, header: try #require(try PNGHeaderParser.parse(Bytes(buffer)))) != nil
    }
  }

  private func expectSameRows(_ file: Data, at location: SourceLocation = #_sourceLocation) throws {
    #expect(try inflates(file), sourceLocation: location)
    let rows = try [true, false].map { isWhole in
      try file.withUnsafeBytes { buffer in
        let header = try #require(try PNGHeaderParser.parse(Bytes(buffer)))
        let source = try PNGRowSource(buffer, header: header, isWhole: isWhole)
        var rows = [UInt8](repeating: 1, count: header.size.width * header.size.height * 4)
        for row in 0..<header.size.height {
          try rows.withUnsafeMutableBufferPointer {
            try source.readRow(into: try #require($0.baseAddress) + row * header.size.width * 4)
          }
        }
        return rows
      }
    }
    #expect(rows[0] == rows[1], sourceLocation: location)
  }

  /// A PNG image of noise in stored blocks, which any program inflates.
  private struct SamplePNG {
    var type: UInt8
    var depth: UInt8
    var chunkByteCount = 1 << 20
    var interlace: UInt8 = 0
    var rowCount = PNGInflatedFileTests.size.height
    var emptyChunkCount = 0
    var isLastBlockMarked = true
    var compressedByteToFlip: Int?
    var end = chunk("IEND", [])

    var file: Data {
      let size = PNGInflatedFileTests.size
      let header =
        FileSurgery.bytes(size.width, count: 4) + FileSurgery.bytes(size.height, count: 4)
        + [depth, type, 0, 0, interlace]
      var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Self.chunk("IHDR", header)
      if type == 3 { file += Self.chunk("PLTE", (0..<768).map { UInt8($0 * 7 & 255) }) }
      var data = compressed
      if let offset = compressedByteToFlip { data[offset] ^= 0x55 }
      for start in stride(from: 0, to: data.count, by: chunkByteCount) {
        for _ in 0..<emptyChunkCount { file += Self.chunk("IDAT", []) }
        file += Self.chunk("IDAT", Array(data[start..<min(start + chunkByteCount, data.count)]))
      }
      return file + end
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> Data {
      let body = Array(type.utf8) + content
      return Data(
        FileSurgery.bytes(content.count, count: 4) + body
          + FileSurgery.bytes(Int(FileSurgery.checksum(body)), count: 4))
    }

    /// Filtered rows in the zlib format (RFC 1950).
    private var compressed: [UInt8] {
      let rows = self.rows
      var result: [UInt8] = [0x78, 0x01]
      for start in stride(from: 0, to: rows.count, by: 65_535) {
        let block = rows[start..<min(start + 65_535, rows.count)]
        let length = FileSurgery.bytes(block.count, count: 2).reversed()
        result.append(block.endIndex == rows.count && isLastBlockMarked ? 1 : 0)
        result += length
        result += length.map { ~$0 }
        result += block
      }
      guard isLastBlockMarked else { return result }
      var (low, high) = (1, 0)
      for byte in rows {
        low = (low + Int(byte)) % 65_521
        high = (high + low) % 65_521
      }
      return result + FileSurgery.bytes(high << 16 | low, count: 4)
    }

    /// Noise, with each of the five filters in turn.
    private var rows: [UInt8] {
      let channelCount = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type] ?? 1
      let rowByteCount = PNGInflatedFileTests.size.width * channelCount * Int(depth) / 8
      var state: UInt32 = 1
      return (0..<rowCount).flatMap { row in
        [UInt8(row % 5)]
          + (0..<rowByteCount).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
          }
      }
    }
  }
}
#endif
