import HalcyonImaging
import HalcyonCodecs
import TestTraits
import Testing

@Suite(.integrationTest)
struct PNGEncoderTests {
  @Test(arguments: [(1, 1), (40, 30), (3, 200)])
  func `an opaque image round-trips exactly`(_ width: Int, _ height: Int) throws {
    let original = try Bitmap.gradient(width, height)
    let file = try PNGEncoder().encode(original, options: EncodingOptions())
    let image = try PNGDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: original) == 0)
    #expect(!image.info.hasAlpha)
  }

  @Test func `a transparent image round-trips exactly`() throws {
    let original = try Bitmap.painted(256, 64, isOpaque: false) { column, row in
      Color(column * row / 63, column, column / 2, column)
    }
    let file = try PNGEncoder().encode(original, options: EncodingOptions())
    let image = try PNGDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: original) == 0)
    #expect(image.info.hasAlpha)
  }
}
