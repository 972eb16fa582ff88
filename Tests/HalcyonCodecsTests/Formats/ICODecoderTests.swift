import HalcyonImaging
import Foundation
import HalcyonCodecs
import Testing

struct ICODecoderTests {
  @Test(arguments: [48, 32, 16])
  func `the picture of the wanted size is taken as it is`(_ side: Int) throws {
    let file = try FormatFixture.data("sizes.ico")
    let image = try ICODecoder().decode(file, options: DecodingOptions(size: .fit(width: side, height: side)))
    #expect(image.size == PixelSize(width: side, height: side))
    #expect(image.info.storedSize == PixelSize(width: 48, height: 48))
    // Without the larger pictures the file still holds the same one.
    var first = file.prefix(6)
    first[4] = 1
    let entry = try #require([16, 32, 48].firstIndex(of: side))
    first += file[6 + entry * 16..<22 + entry * 16] + file.dropFirst(22)
    let alone = try ICODecoder().decode(first, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: alone.bitmap) == 0)
  }

  @Test func `a cursor is an icon`() throws {
    var file = try FormatFixture.data("sizes.ico")
    file[2] = 2
    #expect(ImageFormat(sniffing: file) == .ico)
    #expect(try ICODecoder().decode(file, options: DecodingOptions()).size == PixelSize(width: 48, height: 48))
  }
}
