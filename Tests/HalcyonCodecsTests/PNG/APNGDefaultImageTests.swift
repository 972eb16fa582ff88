import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Animations whose default image, which other programs show, is not one of their frames.
@Suite(.unitTest)
struct APNGDefaultImageTests {
  private static let (red, green, clear) = (Color(255, 0, 0, 255), Color(0, 255, 0, 255), Color(0, 0, 0, 0))

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return FileSurgery.bytes(content.count, count: 4) + body
      + FileSurgery.bytes(Int(FileSurgery.checksum(body)), count: 4)
  }

  /// The content of the `IDAT` chunk of a square in one colour.
  private static func data(_ color: Color, side: Int) throws -> [UInt8] {
    let file = try PNGEncoder().encode(Bitmap.painted(side, side) { _, _ in color }, options: EncodingOptions())
    let start = try #require(file.firstRange(of: Data("IDAT".utf8)))
    let length = file[start.lowerBound - 4..<start.lowerBound].reduce(0) { $0 << 8 | Int($1) }
    return Array(file[start.upperBound..<start.upperBound + length])
  }

  /// A red default image of 4 by 4 pixels, and green frames.
  private static func file(frameCount: Int, side: Int = 4) throws -> Data {
    let start = try PNGEncoder().encode(Bitmap.painted(4, 4) { _, _ in red }, options: EncodingOptions()).prefix(33)
    var file = Array(start) + chunk("acTL", FileSurgery.bytes(frameCount, count: 4) + [0, 0, 0, 0])
    file += chunk("IDAT", try data(red, side: 4))
    for frame in 0..<frameCount {
      let sides = FileSurgery.bytes(side, count: 4) + FileSurgery.bytes(side, count: 4)
      let control =
        FileSurgery.bytes(frame * 2, count: 4) + sides + [UInt8](repeating: 0, count: 8) + [0, 1, 0, 10, 0, 0]
      file += chunk("fcTL", control)
      file += chunk("fdAT", FileSurgery.bytes(frame * 2 + 1, count: 4) + (try data(green, side: side)))
    }
    return Data(file + chunk("IEND", []))
  }

  @Test(arguments: [1, 2], [TargetSize.original, .fit(width: 2, height: 2)])
  func `the still image is the first frame`(_ frameCount: Int, _ size: TargetSize) throws {
    let file = try Self.file(frameCount: frameCount)
    let image = try PNGDecoder().decode(file, options: DecodingOptions(size: size))
    #expect(image.bitmap.color(1, 1) == Self.green && image.bitmap.isOpaque && !image.isPartial)
    #expect(image.info.frameCount == frameCount && image.size.width == (size == .original ? 4 : 2))
  }

  @Test func `a first frame that is smaller leaves the rest transparent`() throws {
    let image = try PNGDecoder().decode(Self.file(frameCount: 1, side: 2), options: DecodingOptions())
    #expect(image.size == PixelSize(width: 4, height: 4) && image.info.hasAlpha && !image.bitmap.isOpaque)
    #expect(image.bitmap.color(1, 1) == Self.green && image.bitmap.color(3, 3) == Self.clear)
  }

  @Test func `the default image is no preview, and is shown only if there is no frame`() throws {
    let file = try Self.file(frameCount: 2)
    for count in 0..<file.count {
      #expect(try PNGDecoder().preview(file.prefix(count), after: 0, options: DecodingOptions())?.stage == nil)
    }
    // With a number of frames that no file can have, the file is no animation.
    for count in [0, 0x8000_0001] {
      var invalid = file
      let content = FileSurgery.bytes(count, count: 4) + [0, 0, 0, 0]
      invalid.replaceSubrange(33..<53, with: Self.chunk("acTL", content))
      let image = try PNGDecoder().decode(invalid, options: DecodingOptions())
      #expect(image.bitmap.color(1, 1) == Self.red && image.info.frameCount == 1)
    }
    var bare = try Self.file(frameCount: 0)
    // The file announces one frame.
    bare.replaceSubrange(33..<53, with: Self.chunk("acTL", [0, 0, 0, 1, 0, 0, 0, 0]))
    #expect(try PNGDecoder().decode(bare, options: DecodingOptions()).bitmap.color(1, 1) == Self.red)
  }

  @Test func `a file that ends before the last frame does is truncated`() throws {
    let file = try Self.file(frameCount: 2)
    let cut = file.dropLast(30)
    #expect(throws: ImageDecodingError.truncated(.png)) { try PNGDecoder().decode(cut, options: DecodingOptions()) }
    let image = try PNGDecoder().decode(cut, options: DecodingOptions(allowsPartialImage: true))
    #expect(image.isPartial && image.bitmap.color(1, 1) == Self.green)
    #expect(try PNGDecoder().decode(file.dropLast(12), options: DecodingOptions()).bitmap.color(1, 1) == Self.green)
  }

  @Test(arguments: [false, true])
  func `the frames of a file that ends between two of them end in an error, unless a part is allowed`(
    allowsPartialImage: Bool
  ) throws {
    let file = try Self.file(frameCount: 3)
    let last = try #require(file.range(of: Data("fcTL".utf8), options: .backwards)).lowerBound - 4
    let reader = try PNGDecoder().frameReader(
      for: file[..<last], options: DecodingOptions(allowsPartialImage: allowsPartialImage))
    #expect(try reader.nextFrame() != nil && reader.nextFrame() != nil)
    if allowsPartialImage {
      #expect(try reader.nextFrame() == nil)
    } else {
      #expect(throws: ImageDecodingError.truncated(.png)) { try reader.nextFrame() }
    }
  }
}
