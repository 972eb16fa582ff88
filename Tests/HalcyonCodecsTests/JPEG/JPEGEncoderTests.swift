import HalcyonImaging
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct JPEGEncoderTests {
  @Test func `an image survives a round trip`() throws {
    let original = try Bitmap.gradient(40, 30)
    let file = try JPEGEncoder().encode(original, options: EncodingOptions(quality: 0.95))
    let image = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(image.largestDifference(to: original) < 12)
  }

  #if !IMAGEIO
  @Test func `colours keep their full resolution from a quality of 0.9 on`() throws {
    let fields = try Bitmap.painted(64, 64) { column, row in
      (column + row) % 2 == 0 ? Color(255, 0, 0, 255) : Color(0, 0, 255, 255)
    }
    for (quality, keepsColours) in [(0.89, false), (0.9, true), (1, true)] {
      let file = try JPEGEncoder().encode(fields, options: EncodingOptions(quality: quality))
      let image = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap
      let whole = TargetSize.original.geometry(for: fields.size)
      #expect((image.difference(toAveraged: fields, geometry: whole) < 8) == keepsColours)
    }
  }
  #endif

  @Test func `transparent pixels are blended over the background`() throws {
    let ghost = try Bitmap.painted(16, 16, isOpaque: false) { _, _ in Color(100, 0, 0, 128) }
    let blue = PixelColor(red: 0, green: 0, blue: 255)
    let file = try JPEGEncoder().encode(ghost, options: EncodingOptions(quality: 1, background: blue))
    let color = try JPEGDecoder().decode(file, options: DecodingOptions()).bitmap.color(8, 8)
    let distance = color &- Color(100, 0, 127, 255)
    #expect((0..<4).allSatisfy { abs(distance[$0]) <= 3 })
  }

  @Test func `a side over 65,500 pixels is rejected`() throws {
    let strip = try Bitmap.painted(65_501, 1) { _, _ in Color(0, 0, 0, 255) }
    #expect(throws: ImageEncodingError.tooLarge(.jpeg, strip.size)) {
      try JPEGEncoder().encode(strip, options: EncodingOptions())
    }
  }
}
