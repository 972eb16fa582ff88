import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PNGDecoderTests {
  /// The stored pixel at column 9, row 20 with straight alpha, as read by ImageMagick; the gamma of all files is 1.
  private static let pixels: [(name: String, color: Color)] = [
    ("basn0g01", Color(255, 255, 255, 255)), ("basn0g02", Color(255, 255, 255, 255)),
    ("basn0g04", Color(119, 119, 119, 255)), ("basn0g08", Color(139, 139, 139, 255)),
    ("basn0g16", Color(120, 120, 120, 255)), ("basn2c08", Color(118, 255, 255, 255)),
    ("basn2c16", Color(180, 90, 0, 255)), ("basn3p01", Color(34, 102, 255, 255)),
    ("basn3p02", Color(255, 0, 0, 255)), ("basn3p04", Color(0, 255, 153, 255)),
    ("basn3p08", Color(255, 255, 68, 255)), ("basn4a08", Color(90, 90, 90, 74)),
    ("basn4a16", Color(78, 78, 78, 149)), ("basn6a08", Color(3, 255, 127, 74)),
    ("basn6a16", Color(255, 39, 0, 149)), ("basi0g01", Color(255, 255, 255, 255)),
    ("basi0g16", Color(120, 120, 120, 255)), ("basi2c08", Color(118, 255, 255, 255)),
    ("basi3p04", Color(0, 255, 153, 255)), ("basi4a16", Color(78, 78, 78, 149)),
    ("basi6a08", Color(3, 255, 127, 74)), ("tbbn0g04", Color(119, 119, 119, 255)),
    ("tbbn2c16", Color(0, 212, 0, 255)), ("tbbn3p08", Color(0, 216, 0, 255)),
    ("tbwn0g16", Color(124, 124, 124, 255)),
  ]

  @Test(arguments: pixels)
  func `every colour type decodes`(_ name: String, _ color: Color) throws {
    let image = try PNGDecoder().decode(Fixture.data("pngsuite/\(name).png"), options: DecodingOptions())
    #expect(image.size == PixelSize(width: 32, height: 32))
    let channels = (0..<3).map { Self.displayed(color[$0]) * color.w / 255 }
    let distance = Color(channels[0], channels[1], channels[2], color.w) &- image.bitmap.color(9, 20)
    // With a gamma of 1, neighbouring dark values are far apart in sRGB.
    #expect((0..<4).allSatisfy { abs(distance[$0]) <= (color.w == 255 ? 1 : 3) }, "\(image.bitmap.color(9, 20))")
    #expect(image.bitmap.isOpaque == !image.info.hasAlpha)
  }

  /// Converts a linear value to sRGB (IEC 61966-2-1).
  private static func displayed(_ value: Int) -> Int {
    let light = Double(value) / 255
    return Int((255 * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)).rounded())
  }

  @Test(arguments: ["s01i3p01", "s03i3p01"])
  func `tiny interlaced images decode`(_ name: String) throws {
    let side = try #require(Int(name.dropFirst().prefix(2)))
    let image = try PNGDecoder().decode(Fixture.data("pngsuite/\(name).png"), options: DecodingOptions())
    #expect(image.size == PixelSize(width: side, height: side))
  }

  @Test(
    arguments: ["0g01", "0g16", "2c08", "3p04", "4a16", "6a08"],
    [TargetSize.original, .fit(width: 11, height: 11), .fit(width: 3, height: 3), .fill(width: 20, height: 7)])
  func `interlacing changes no pixel`(_ name: String, _ size: TargetSize) throws {
    let options = DecodingOptions(size: size)
    let plain = try PNGDecoder().decode(Fixture.data("pngsuite/basn\(name).png"), options: options)
    let interlaced = try PNGDecoder().decode(Fixture.data("pngsuite/basi\(name).png"), options: options)
    #expect(plain.bitmap.largestDifference(to: interlaced.bitmap) == 0)
  }

  @Test(arguments: [2, 3, 5, 11, 40, 64])
  func `resampling leaves no dark fringes`(_ side: Int) throws {
    let half = try Bitmap.painted(64, 64, isOpaque: false) { column, row in
      (column + row) % 64 < 32 ? Color(255, 255, 255, 255) : Color(0, 0, 0, 0)
    }
    let file = try PNGEncoder().encode(half, options: EncodingOptions())
    let small = try PNGDecoder().decode(file, options: DecodingOptions(size: .fit(width: side, height: side))).bitmap
    for row in 0..<side {
      for column in 0..<side {
        let color = small.color(column, row)
        #expect(color.x <= color.w && color.x >= color.w - 2 && color.x == color.z)
      }
    }
  }

  @Test func `a uniform colour stays uniform`() throws {
    let wall = try Bitmap.painted(301, 203) { _, _ in Color(77, 130, 201, 255) }
    let file = try PNGEncoder().encode(wall, options: EncodingOptions())
    let small = try PNGDecoder().decode(file, options: DecodingOptions(size: .fit(width: 97, height: 97))).bitmap
    let expected = try Bitmap.painted(small.size.width, small.size.height) { _, _ in Color(77, 130, 201, 255) }
    #expect(small.largestDifference(to: expected) == 0)
  }

  /// All chunks are intact, so nothing is lost. The larger image is inflated by ISA-L where that is linked.
  @Test(arguments: [PixelSize(width: 20, height: 20), PixelSize(width: 400, height: 300)])
  func `a wrong checksum of the zlib format alone is no damage`(_ size: PixelSize) throws {
    let bitmap = try Bitmap.gradient(size.width, size.height)
    let file = try PNGEncoder().encode(bitmap, options: EncodingOptions())
    let sound = try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
    var changed = file
    // It is followed by the checksum of its chunk, and by the last chunk.
    changed[file.count - 12 - 4 - 1] ^= 0xFF
    #expect(throws: ImageDecodingError.self) { try PNGDecoder().decode(changed, options: DecodingOptions()) }
    let image = try PNGDecoder().decode(PNGChecksums.repaired(changed), options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: sound) == 0)
  }
}
