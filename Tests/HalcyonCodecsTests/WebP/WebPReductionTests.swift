#if !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest, .slow)
struct WebPReductionTests {
  static let sizes: [TargetSize] = [
    .fit(width: 401, height: 401), .fit(width: 150, height: 150), .fit(width: 31, height: 31),
    .fill(width: 60, height: 90), .fill(width: 90, height: 30, anchor: .bottom), .exact(width: 7, height: 90),
    .exact(width: 600, height: 600),
  ]

  @Test(arguments: sizes, [PixelSize(width: 451, height: 301), PixelSize(width: 450, height: 302)])
  func `a reduced image shows what the whole one shows`(size: TargetSize, whole: PixelSize) throws {
    let painted = try Bitmap.painted(whole.width, whole.height, isOpaque: false) { column, row in
      let alpha = max(0, min(255, column - 100))
      let (red, green) = (column / 50 % 2 * 200 + 55, row / 50 % 2 * 200 + 55)
      return Color(red * alpha / 255, green * alpha / 255, alpha / 2, alpha)
    }
    let transparent = try WebPEncoder().encode(painted, options: EncodingOptions(quality: 0.9))
    let lossless = try WebPEncoder(effort: 0).encode(painted, options: EncodingOptions(isLossless: true))
    for (file, isOpaque) in [(try Self.file(whole), true), (transparent, false), (lossless, false)] {
      let original = try WebPDecoder().decode(file, options: DecodingOptions()).bitmap
      let reduced = try WebPDecoder().decode(file, options: DecodingOptions(size: size)).bitmap
      let resized = try BuiltInProcessor.resize(size).process(original)
      #expect(reduced.size == resized.size && reduced.isOpaque == isOpaque)
      let identity = TargetSize.original.geometry(for: resized.size)
      #expect(reduced.difference(toAveraged: resized, geometry: identity) < 2.5)
    }
  }

  @Test(arguments: [1, 2, 3, 16, 17], [1, 2, 5, 16, 33])
  func `an image of a few pixels is reduced to one`(width: Int, height: Int) throws {
    let grey = try Bitmap.painted(width, height, isOpaque: true) { _, _ in Color(120, 120, 120, 255) }
    let file = try WebPEncoder().encode(grey, options: EncodingOptions(quality: 1))
    let image = try WebPDecoder().decode(file, options: DecodingOptions(size: .exact(width: 1, height: 1)))
    let color = image.bitmap.color(0, 0)
    #expect(abs(Int(color.x) - 120) <= 3 && abs(Int(color.y) - 120) <= 3 && abs(Int(color.z) - 120) <= 3)
  }

  @Test func `a file that ends within its image data is not reduced`() throws {
    let file = try Self.file(PixelSize(width: 451, height: 301))
    for count in stride(from: 40, to: file.count - 1, by: file.count / 10) {
      // The lengths of the file and of its only chunk are those of the cut file.
      var cut = Data(file.prefix(count))
      cut.replaceSubrange(4..<8, with: withUnsafeBytes(of: UInt32(count - 8).littleEndian) { Data($0) })
      cut.replaceSubrange(16..<20, with: withUnsafeBytes(of: UInt32(count - 20).littleEndian) { Data($0) })
      #expect(throws: ImageDecodingError.self) {
        try WebPDecoder().decode(cut, options: DecodingOptions(size: .fit(width: 50, height: 50)))
      }
    }
  }

  @Test func `reducing ends when it is cancelled`() throws {
    let file = try Self.file(PixelSize(width: 451, height: 301))
    let polls = Polls()
    var options = DecodingOptions(size: .fit(width: 50, height: 50))
    options.isCancelled = { polls.next() > 3 }
    #expect(throws: ImageDecodingError.cancelled) { try WebPDecoder().decode(file, options: options) }
  }

  /// A lossy file of a photograph.
  private static func file(_ size: PixelSize) throws -> Data {
    let photo = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let bitmap = try BuiltInProcessor.resize(.exact(width: size.width, height: size.height)).process(photo)
    return try WebPEncoder().encode(bitmap, options: EncodingOptions(quality: 0.9))
  }
}
#endif
