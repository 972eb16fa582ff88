import HalcyonImaging
import Foundation
import HalcyonCodecs
import TestTraits
import Testing

@Suite(.integrationTest)
struct ICODecoderTests {
  @Test(arguments: [48, 32, 16])
  func `the entry of the target size is decoded without resampling`(_ side: Int) throws {
    let file = try FormatFixture.data("sizes.ico")
    let image = try ICODecoder().decode(file, options: DecodingOptions(size: .fit(width: side, height: side)))
    #expect(image.size == PixelSize(width: side, height: side))
    #expect(image.info.storedSize == PixelSize(width: 48, height: 48))
    // A file with this entry alone decodes to the same pixels.
    var first = file.prefix(6)
    first[4] = 1
    let entry = try #require([16, 32, 48].firstIndex(of: side))
    first += file[6 + entry * 16..<22 + entry * 16] + file.dropFirst(22)
    let alone = try ICODecoder().decode(first, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: alone.bitmap) == 0)
  }

  @Test func `a cursor is decoded as an icon`() throws {
    var file = try FormatFixture.data("sizes.ico")
    file[2] = 2
    #expect(ImageFormat(sniffing: file) == .ico)
    #expect(try ICODecoder().decode(file, options: DecodingOptions()).size == PixelSize(width: 48, height: 48))
  }
}
