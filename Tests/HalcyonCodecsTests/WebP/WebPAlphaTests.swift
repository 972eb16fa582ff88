import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Files whose header and image data disagree about alpha.
@Suite(.unitTest)
struct WebPAlphaTests {
  @Test(arguments: [TargetSize.original, .fit(width: 5, height: 5), .fit(width: 2, height: 2)])
  func `an image whose header denies its alpha is opaque`(_ size: TargetSize) throws {
    let file = try Fixture.data("cases/webp-vp8l-alpha-bit-off.webp")
    let image = try WebPDecoder().decode(file, options: DecodingOptions(size: size))
    #expect(image.bitmap.isOpaque && !image.info.hasAlpha)
    #expect(image.bitmap.alphas == [255])
    if size == .original { #expect(image.bitmap.color(0, 0) == Color(0, 0, 255, 255)) }
  }

  @Test(arguments: [TargetSize.original, .fit(width: 9, height: 9)])
  func `a chunk of alpha that the header does not announce is ignored`(_ size: TargetSize) throws {
    var file = try FormatFixture.data("alpha.webp")
    let flags = try #require(file.firstRange(of: Data("VP8X".utf8))).upperBound + 4
    try #require(file[flags] & 0x10 != 0 && file.firstRange(of: Data("ALPH".utf8)) != nil)
    file[flags] &= ~0x10
    let image = try WebPDecoder().decode(file, options: DecodingOptions(size: size))
    #expect(image.bitmap.isOpaque && !image.info.hasAlpha && image.bitmap.alphas == [255])
  }

  @Test func `a frame of an animation whose header denies its alpha is opaque`() throws {
    let lossless = try Fixture.data("cases/webp-vp8l-alpha-bit-off.webp")
    let size = try #require(try WebPDecoder().probe(lossless, isComplete: true)).storedSize
    let file = Self.animation(of: lossless.dropFirst(12), size: size, canvas: size)
    let image = try WebPDecoder().decode(file, options: DecodingOptions())
    let reader = try WebPDecoder().frameReader(for: file, options: DecodingOptions())
    let frame = try #require(try reader.nextFrame()).bitmap
    for bitmap in [image.bitmap, frame] {
      #expect(bitmap.isOpaque && bitmap.alphas == [255])
      #expect(bitmap.color(0, 0) == Color(0, 0, 255, 255))
    }
  }

  @Test func `an animation whose first frame does not cover it has alpha`() throws {
    let lossless = try Fixture.data("cases/webp-vp8l-alpha-bit-off.webp")
    let size = try #require(try WebPDecoder().probe(lossless, isComplete: true)).storedSize
    let canvas = PixelSize(width: size.width + 2, height: size.height)
    let file = Self.animation(of: lossless.dropFirst(12), size: size, canvas: canvas)
    let image = try WebPDecoder().decode(file, options: DecodingOptions())
    let reader = try WebPDecoder().frameReader(for: file, options: DecodingOptions())
    let frame = try #require(try reader.nextFrame()).bitmap
    #expect(image.info.hasAlpha && !image.bitmap.isOpaque && !frame.isOpaque)
    for bitmap in [image.bitmap, frame] { #expect(bitmap.color(size.width, 0) == Color(0, 0, 0, 0)) }
  }

  @Test func `the shortest lossless image decodes`() throws {
    let file = try Fixture.data("cases/webp-transparent-28-bytes.webp")
    let image = try WebPDecoder().decode(file, options: DecodingOptions())
    #expect(image.size == PixelSize(width: 16, height: 16) && image.info.hasAlpha && image.bitmap.alphas == [0])
    for count in 0..<25 { #expect(try WebPDecoder().probe(file.prefix(count), isComplete: false) == nil) }
    var short = file.prefix(24)
    short.replaceSubrange(16..<20, with: [4, 0, 0, 0])
    short.replaceSubrange(4..<8, with: [16, 0, 0, 0])
    #expect(throws: ImageDecodingError.corrupt(.webp, reason: "its bitstream header is invalid")) {
      try WebPDecoder().probe(short, isComplete: true)
    }
  }

  /// An animation of one frame, without the flag of alpha.
  private static func animation(of image: Data, size: PixelSize, canvas: PixelSize) -> Data {
    WebPSample.animation([WebPSample.frame(of: image, size)], canvas: canvas)
  }
}

extension Bitmap {
  /// The values of alpha that occur.
  fileprivate var alphas: Set<UInt8> {
    withUnsafeBytes { bytes in Set(stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] }) }
  }
}
