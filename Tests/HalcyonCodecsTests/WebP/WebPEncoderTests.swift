#if !IMAGEIO
import HalcyonImaging
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct WebPEncoderTests {
  @Test(arguments: [true, false])
  func `lossless encoding round-trips`(_ isOpaque: Bool) throws {
    let original = try Bitmap.painted(64, 40, isOpaque: isOpaque) { column, row in
      let alpha = isOpaque ? 255 : column * 4
      return Color(alpha * row / 40, alpha / 2, alpha / 3, alpha)
    }
    let image = try decode(original, EncodingOptions(quality: 0.1, isLossless: true))
    // Unpremultiplying and premultiplying round twice, once of it in libwebp.
    #expect(image.bitmap.largestDifference(to: original) <= (isOpaque ? 0 : 1))
    #expect(image.info.hasAlpha != isOpaque)
    #expect(image.info.colorModel == .rgb)
  }

  @Test func `lower quality gives a smaller file and a larger error`() throws {
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let files = try [0.1, 0.5, 0.95].map {
      try WebPEncoder().encode(original, options: EncodingOptions(quality: $0))
    }
    #expect(files[0].count < files[1].count && files[1].count < files[2].count)
    let whole = TargetSize.original.geometry(for: original.size)
    let differences = try files.map {
      try WebPDecoder().decode($0, options: DecodingOptions()).bitmap.difference(toAveraged: original, geometry: whole)
    }
    #expect(differences[0] > differences[1] && differences[1] > differences[2] && differences[2] < 3)
  }

  @Test func `effort and preset change the file`() throws {
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions(size: .fit(width: 99)))
      .bitmap
    let efforts = try [0, 4, 6].map { try WebPEncoder(effort: $0).encode(original, options: EncodingOptions()) }
    #expect(Set(efforts).count == 3 && efforts[0].count > efforts[2].count)
    #expect(try WebPEncoder().encode(original, options: EncodingOptions()) == efforts[1])
    let presets: [EncoderSettings.WebPPreset] = [.default, .photo, .picture, .drawing]
    let files = try presets.map { try WebPEncoder(preset: $0).encode(original, options: EncodingOptions()) }
    #expect(Set(files).count == presets.count && files[0] == efforts[1])
  }

  @Test func `lossy encoding keeps alpha`() throws {
    let original = try Bitmap.painted(32, 32, isOpaque: false) { column, _ in
      column < 16 ? Color(0, 0, 0, 0) : Color(200, 100, 50, 255)
    }
    let image = try decode(original, EncodingOptions(quality: 0.8))
    #expect(image.bitmap.color(4, 4) == Color(0, 0, 0, 0))
    #expect(image.bitmap.color(28, 20).w == 255)
  }

  @Test func `a side over the limit of the format is rejected`() throws {
    let wide = try Bitmap(size: PixelSize(width: 16_384, height: 1), isOpaque: true) { _ in }
    #expect(throws: ImageEncodingError.tooLarge(.webp, wide.size)) {
      try WebPEncoder().encode(wide, options: EncodingOptions())
    }
  }

  @Test func `more loops than the format can express are the most that it can`() throws {
    // One frame would be a still image.
    let bitmaps = try [10, 200].map { grey in try Bitmap.painted(4, 4) { _, _ in Color(grey, grey, grey, 255) } }
    var frames = bitmaps.map { AnimationFrame(bitmap: $0, duration: .milliseconds(50)) }[...]
    let animation = AnimationInfo(frameCount: 2, loopCount: 70_000)
    let file = try WebPEncoder().encode(animation, options: EncodingOptions()) { frames.popFirst() }
    let reader = try WebPDecoder().frameReader(for: file, options: DecodingOptions())
    #expect(reader.animation == AnimationInfo(frameCount: 2, loopCount: 65_535))
  }

  private func decode(_ bitmap: Bitmap, _ options: EncodingOptions) throws -> DecodedImage {
    try WebPDecoder().decode(WebPEncoder().encode(bitmap, options: options), options: DecodingOptions())
  }
}
#endif
