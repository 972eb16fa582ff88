#if !IMAGEIO
import HalcyonImaging
import Foundation
@testable import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct GreyEncodingTests {
  /// Formats with files of one channel.
  private static let formats: [ImageFormat] = [.png, .jpeg, .avif, .jpegXL].filter(\.isWritable)

  @Test(arguments: formats, [true, false])
  func `a grey image is a file with one channel for colour`(_ format: ImageFormat, _ isOpaque: Bool) throws {
    let bitmap = try Bitmap.painted(48, 33, isOpaque: isOpaque) { column, row in
      let alpha = isOpaque ? 255 : column * 5
      let grey = (row * 7 + column) * alpha / 300
      return Color(grey, grey, grey, alpha)
    }
    let file = try encode(bitmap, format)
    let decoder = try StandardCodecs.decoder(of: file)
    let image = try decoder.decode(file, options: DecodingOptions())
    #expect(image.info.colorModel == .grey)
    #expect(image.bitmap.isOpaque == (isOpaque || format == .jpeg))
    let expected = isOpaque || format != .jpeg ? bitmap : try flattened(bitmap)
    #expect(image.bitmap.largestDifference(to: expected) <= (format == .png ? 1 : 8))
  }

  @Test(arguments: formats)
  func `one pixel with a colour needs all channels, and so do a coloured background and Display P3`(
    _ format: ImageFormat
  ) throws {
    let dotted = try Bitmap.painted(48, 33) { column, row in
      column == 47 && row == 32 ? Color(60, 60, 61, 255) : Color(60, 60, 60, 255)
    }
    let grey = try Bitmap.painted(48, 33, isOpaque: false) { _, _ in Color(60, 60, 60, 128) }
    let wide = try grey.converted(to: .displayP3)
    for bitmap in [dotted, wide] { #expect(try colorModel(encode(bitmap, format)) != .grey) }
    let red = EncodingOptions(quality: 1, background: PixelColor(red: 255, green: 0, blue: 0))
    #expect(try (colorModel(encode(grey, format, red)) == .grey) == (format != .jpeg))
  }

  @Test func `a grey PNG is about as large as its one channel`() throws {
    let photo = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let grey = try BuiltInProcessor.saturation(0).process(photo)
    let coloured = try PNGEncoder().encode(photo, options: EncodingOptions()).count
    #expect(try PNGEncoder().encode(grey, options: EncodingOptions()).count * 2 < coloured)
  }

  private func encode(
    _ bitmap: Bitmap, _ format: ImageFormat, _ options: EncodingOptions = EncodingOptions(quality: 1)
  ) throws -> Data {
    try StandardCodecs.encoder(for: format).encode(bitmap, options: options)
  }

  private func colorModel(_ file: Data) throws -> ColorModel? {
    try StandardCodecs.decoder(of: file).probe(file, isComplete: true)?.colorModel
  }

  private func flattened(_ bitmap: Bitmap) throws -> Bitmap {
    try Bitmap.painted(bitmap.size.width, bitmap.size.height) { column, row in
      let color = bitmap.color(column, row)
      let rest = 255 - color.w
      return Color(color.x + rest, color.y + rest, color.z + rest, 255)
    }
  }
}
#endif
