import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct DitheringTests {
  /// libvips 8.14 with libimagequant reaches 38.3 dB here, in 7,113 bytes.
  @Test func `a photograph in 256 colours is as close to the original as that of other encoders`() throws {
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let file = try GIFEncoder().encode(original, options: EncodingOptions())
    let copy = try GIFDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(Self.noise(of: copy, original) > 37.8 && file.count < 7113)
  }

  @Test func `errors reach the row below`() throws {
    // One pixel wide: nothing else can be reached. The palette has a dark grey and white.
    let greys: [UInt8] =
      Array(repeating: 0, count: 60) + Array(repeating: 255, count: 20) + Array(repeating: 110, count: 20)
    let pixels: [UInt8] = greys.flatMap { [$0, $0, $0, 255] }
    let indices = try pixels.withUnsafeBufferPointer { pixels in
      var dithering = Dithering(ColorPalette(pixels, colorLimit: 2))
      return try dithering.indices(pixels, size: PixelSize(width: 1, height: 100))
    }
    #expect(Set(indices[..<60]) == [0] && Set(indices[60..<80]) == [1])
    #expect(Set(indices[80...]) == [0, 1])
  }

  /// 100 is nearer to black than to white. The odd rows are drawn from the right.
  @Test func `a grey becomes a pattern of black and white`() throws {
    let palette = Self.palette(
      [(Self.dark, 1000), (Color(255, 255, 255, 255), 1000), (Color(1, 1, 1, 255), 1)], limit: 2)
    var dithering = Dithering(palette)
    let indices = try Self.pixels([(Color(100, 100, 100, 255), 15)]).withUnsafeBufferPointer {
      try dithering.indices($0, size: PixelSize(width: 5, height: 3))
    }
    #expect(indices == [0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0])
  }

  @Test func `more colours than are counted one by one have bins, of translucent ones too`() throws {
    let many = (0..<20_000).map { (color: Color($0 & 255, $0 >> 8, 0, 255), count: 1) }
    var dithering = Dithering(Self.palette(many, limit: 4))
    let index = try Self.pixels([(Self.pale, 1)]).withUnsafeBufferPointer {
      try dithering.indices($0, size: PixelSize(width: 1, height: 1))
    }
    #expect(index.count == 1)
    let histogram = Self.pixels(many + [(Color(9, 9, 9, 128), 1)]).withUnsafeBufferPointer { ColorHistogram($0) }
    #expect(!histogram.isExact && histogram.entries.contains { $0.color == Color(9, 9, 9, 128) })
  }

  private static func pixels(_ colors: [(color: Color, count: Int)]) -> [UInt8] {
    colors.flatMap { color, count in (0..<count * 4).map { UInt8(color[$0 % 4]) } }
  }

  private static func palette(_ colors: [(color: Color, count: Int)], limit: Int) -> ColorPalette {
    pixels(colors).withUnsafeBufferPointer { ColorPalette($0, colorLimit: limit) }
  }

  private static let (clear, pale, dark) = (Color(0, 0, 0, 0), Color(100, 100, 100, 128), Color(0, 0, 0, 255))

  /// A colour and that of a table of a transparent, a translucent and an opaque one by which it is drawn.
  @Test(arguments: [
    (Color(90, 90, 90, 255), dark), (Color(90, 90, 90, 254), pale), (Color(9, 9, 9, 9), pale), (clear, clear),
  ])
  func `opaque pixels stay opaque, and translucent ones visible`(_ color: Color, _ drawn: Color) {
    let palette = Self.palette([(Self.dark, 1), (Self.pale, 1), (Self.clear, 1)], limit: 3)
    #expect(palette.isExact)
    #expect(palette.colors[palette.index(of: color)] == drawn)
    // Without an opaque colour, or a transparent one, the nearest is used.
    #expect(Self.palette([(Self.pale, 1)], limit: 3).index(of: color) == 0)
  }

  /// Colours and the number of their pixels, and the table of at most two that is made of them.
  @Test(
    arguments: [
      // The mean of two is rounded, and opaque if most of its pixels are.
      (
        [(Color(0, 0, 0, 255), 9), (Color(200, 0, 0, 255), 2), (Color(203, 0, 0, 255), 2)],
        [Color(0, 0, 0, 255), Color(202, 0, 0, 255)]
      ),
      (
        [(Color(0, 0, 0, 255), 9), (Color(200, 0, 0, 255), 3), (Color(200, 0, 0, 251), 2)],
        [Color(0, 0, 0, 255), Color(200, 0, 0, 255)]
      ),
      (
        [(Color(0, 0, 0, 255), 9), (Color(200, 0, 0, 255), 2), (Color(200, 0, 0, 251), 2)],
        [Color(200, 0, 0, 253), Color(0, 0, 0, 255)]
      ),
      // A transparent colour takes one of two.
      (
        [(Color(0, 0, 0, 0), 9), (Color(100, 0, 0, 255), 1), (Color(0, 100, 0, 255), 1)],
        [Color(0, 0, 0, 0), Color(50, 50, 0, 255)]
      ),
    ] as [([(Color, Int)], [Color])])
  func `a table has the means of similar colours`(_ colors: [(Color, Int)], _ expected: [Color]) {
    let palette = Self.palette(colors.map { (color: $0.0, count: $0.1) }, limit: 2)
    #expect(palette.colors == expected)
    #expect(!palette.isExact && palette.isFine)
  }

  /// The peak signal-to-noise ratio in decibels.
  private static func noise(of bitmap: Bitmap, _ original: Bitmap) -> Double {
    var squares = 0
    bitmap.withUnsafeBytes { bytes in
      original.withUnsafeBytes { others in
        for (byte, other) in zip(bytes, others) { squares += (Int(byte) - Int(other)) * (Int(byte) - Int(other)) }
      }
    }
    return 10 * log10(255 * 255 * Double(original.size.pixelCount * 3) / Double(squares))
  }
}
