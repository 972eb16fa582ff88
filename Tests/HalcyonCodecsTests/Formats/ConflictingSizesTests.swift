import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// Files that state conflicting sizes, which must not affect memory safety.
@Suite(.integrationTest)
struct ConflictingSizesTests {
  @Test func `a TIFF directory with two widths is rejected`() throws {
    var file = try FormatFixture.data("raw.tiff")
    let directory = Int(file[4]) | Int(file[5]) << 8 | Int(file[6]) << 16
    let count = Int(file[directory])
    let rowsPerStrip = try #require(
      (0..<count).map { directory + 2 + $0 * 12 }.first { file[$0] == 0x16 && file[$0 + 1] == 1 })
    // The RowsPerStrip tag, with the value 30, becomes a second width.
    file.replaceSubrange(rowsPerStrip..<rowsPerStrip + 2, with: [0, 1])
    #expect(throws: ImageDecodingError.self) { try TIFFDecoder().decode(file, options: DecodingOptions()) }
  }

  @Test func `a WebP animation with two canvas sizes is rejected`() throws {
    var file = try FormatFixture.data("lossy-animated.webp")
    var second = file[12..<30]
    second[second.startIndex + 13] = 2
    file.insert(contentsOf: second, at: 30)
    let byteCount = file.count - 8
    file.replaceSubrange(4..<6, with: [UInt8(byteCount & 255), UInt8(byteCount >> 8)])
    #expect(throws: ImageDecodingError.corrupt(.webp, reason: "it states conflicting sizes")) {
      try WebPDecoder().frameReader(for: file, options: DecodingOptions())
    }
  }

  @Test func `a WebP frame whose image is smaller than its area is rejected`() throws {
    let lossless = try Fixture.data("cases/webp-vp8l-alpha-bit-off.webp")
    let size = try #require(try WebPDecoder().probe(lossless, isComplete: true)).storedSize
    let larger = PixelSize(width: size.width + 1, height: size.height)
    let file = WebPSample.animation([WebPSample.frame(of: lossless.dropFirst(12), larger)], canvas: larger)
    let reader = try WebPDecoder().frameReader(for: file, options: DecodingOptions())
    #expect(throws: ImageDecodingError.self) { try reader.nextFrame() }
    #expect(throws: ImageDecodingError.self) { try WebPDecoder().decode(file, options: DecodingOptions()) }
  }

  @Test func `a PNG animation with a second, shorter header is rejected`() throws {
    let file = try FormatFixture.data("keep-over.apng")
    let twice = FileSurgery.png(file, inserting: "IHDR", [1, 2, 3])
    #expect(throws: ImageDecodingError.self) {
      try PNGDecoder().frameReader(for: twice, options: DecodingOptions())
    }
  }

  @Test func `a later GIF frame over the limits is rejected before memory is allocated`() throws {
    var file = Data("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
    let pixel: [UInt8] = [2, 2, 0x44, 0x01, 0]
    file += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0] + pixel
    file += [0x2C, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x40] + pixel + [0x3B]
    let reader = try GIFDecoder().frameReader(for: file, options: DecodingOptions())
    #expect(try reader.nextFrame() != nil)
    #expect(throws: ImageDecodingError.sideTooLong(PixelSize(width: 65_535, height: 65_535), limit: 16_384)) {
      try reader.nextFrame()
    }
  }
}
