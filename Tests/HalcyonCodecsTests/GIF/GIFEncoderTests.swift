import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow)
struct GIFEncoderTests {
  @Test(arguments: [1, 2, 3, 16, 17, 255, 256])
  func `up to 256 colours round-trip exactly`(_ colorCount: Int) throws {
    let original = try Bitmap.painted(120, 90) { column, row in
      let number = (column * 7 + row * row) % colorCount
      return Color(number, 255 - number, number * 37 % 256, 255)
    }
    let image = try decode(GIFEncoder().encode(original, options: EncodingOptions()))
    #expect(image.bitmap.largestDifference(to: original) == 0)
    #expect(!image.info.hasAlpha)
  }

  @Test func `a limit of colours holds for all frames`() throws {
    let bitmap = try Bitmap.gradient(30, 20)
    var options = EncodingOptions()
    options.colorLimit = 9
    #expect(try decode(GIFEncoder().encode(bitmap, options: options)).bitmap.colorCount <= 9)
    var frames = [bitmap, try Bitmap.painted(30, 20) { column, row in Color(column, row * 9, 0, 255) }][...]
    let file = try GIFEncoder().encode(AnimationInfo(frameCount: 2, loopCount: nil), options: options) {
      frames.popFirst().map { AnimationFrame(bitmap: $0, duration: .milliseconds(100)) }
    }
    let reader = try GIFDecoder().frameReader(for: file, options: DecodingOptions())
    // A frame has its own colours, and the colours of the frame before below them.
    while let frame = try reader.nextFrame() { #expect(frame.bitmap.colorCount <= 18) }
  }

  @Test func `pixels with less than half alpha become transparent`() throws {
    let original = try Bitmap.painted(8, 4, isOpaque: false) { column, _ in
      let alpha = column * 36
      return Color(alpha, 0, 0, alpha)
    }
    let image = try decode(GIFEncoder().encode(original, options: EncodingOptions()))
    #expect((0..<8).map { image.bitmap.color($0, 2).w } == [0, 0, 0, 0, 255, 255, 255, 255])
    #expect(image.bitmap.color(7, 0) == Color(255, 0, 0, 255))
  }

  @Test func `what a frame with a hole shares with the one before is there again after it is cleared`() throws {
    let (red, blue, hole) = (Color(255, 0, 0, 255), Color(0, 0, 255, 255), Color(0, 0, 0, 0))
    let bitmaps = try [[red, red], [red, hole], [blue, hole]].map { colors in
      try Bitmap.painted(8, 4, isOpaque: false) { column, _ in colors[column / 4] }
    }
    let file = try StandardCodecs.gif(
      bitmaps.map { AnimationFrame(bitmap: $0, duration: .milliseconds(100)) }, loopCount: nil)
    let reader = try GIFDecoder().frameReader(for: file, options: DecodingOptions())
    for bitmap in bitmaps { #expect(try reader.nextFrame()?.bitmap.largestDifference(to: bitmap) == 0) }
  }

  @Test(arguments: [(Duration.seconds(Int64.max), 65_535), (.seconds(Int64.min), 0)])
  func `durations that the format cannot express are clamped`(_ duration: Duration, _ hundredths: Int) throws {
    let frame = AnimationFrame(bitmap: try Bitmap.painted(1, 1) { _, _ in Color(0, 0, 0, 255) }, duration: duration)
    let file = try StandardCodecs.gif([frame], loopCount: 1)
    let extensionStart = try #require(file.range(of: Data([0x21, 0xF9, 4])))
    #expect(Int(file[extensionStart.upperBound + 1]) | Int(file[extensionStart.upperBound + 2]) << 8 == hundredths)
  }

  @Test(arguments: [(2, 2), (65_536, 65_536), (70_000, 65_536)])
  func `more loops than the format can express are the most that it can`(_ loopCount: Int, _ expected: Int) throws {
    let bitmap = try Bitmap.painted(1, 1) { _, _ in Color(0, 0, 0, 255) }
    let file = try StandardCodecs.gif(
      [AnimationFrame(bitmap: bitmap, duration: .milliseconds(50))], loopCount: loopCount)
    let reader = try GIFDecoder().frameReader(for: file, options: DecodingOptions())
    #expect(reader.animation.loopCount == expected)
  }

  @Test func `a photograph stays close to the original on average`() throws {
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let image = try decode(GIFEncoder().encode(original, options: EncodingOptions()))
    let whole = TargetSize.original.geometry(for: original.size)
    #expect(image.bitmap.difference(toAveraged: original, geometry: whole) < 4)
    // Dithering averages out the errors of single pixels.
    let size = TargetSize.fit(width: 25, height: 25)
    let small = try decode(GIFEncoder().encode(original, options: EncodingOptions()), size: size).bitmap
    let expected = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions(size: size)).bitmap
    #expect(small.difference(toAveraged: expected, geometry: TargetSize.original.geometry(for: small.size)) < 1.5)
  }

  private func decode(_ file: Data, size: TargetSize = .original) throws -> DecodedImage {
    try GIFDecoder().decode(file, options: DecodingOptions(size: size))
  }
}
