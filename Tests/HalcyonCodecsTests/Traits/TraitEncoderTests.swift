#if (AVIF || JXL) && !IMAGEIO
import HalcyonImaging
import Foundation
@testable import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct TraitEncoderTests {
  private static let encoders: [any ImageEncoder] = StandardCodecs.encoders.filter {
    [.avif, .jpegXL].contains($0.format)
  }

  @Test(arguments: encoders.indices)
  func `an image survives a round trip`(_ index: Int) throws {
    let original = try Bitmap.gradient(41, 30)
    let file = try Self.encoders[index].encode(original, options: EncodingOptions(quality: 0.95))
    #expect(ImageFormat(sniffing: file) == Self.encoders[index].format)
    let image = try StandardCodecs.decoder(of: file).decode(file, options: DecodingOptions()).bitmap
    #expect(image.isOpaque)
    let whole = TargetSize.original.geometry(for: original.size)
    #expect(image.difference(toAveraged: original, geometry: whole) < 2)
  }

  @Test(arguments: encoders.indices)
  func `transparency survives a round trip`(_ index: Int) throws {
    let original = try Bitmap.painted(32, 32, isOpaque: false) { column, row in
      let alpha = (column / 8) * 85
      return Color(alpha, alpha * row / 64, 0, alpha)
    }
    let file = try Self.encoders[index].encode(original, options: EncodingOptions(quality: 1))
    let image = try StandardCodecs.decoder(of: file).decode(file, options: DecodingOptions()).bitmap
    #expect(!image.isOpaque)
    #expect(image.largestDifference(to: original) < 8)
  }

  /// The longest side is 65,536 pixels in AVIF, and 262,144 in JPEG XL.
  @Test(arguments: encoders.indices)
  func `an image with a longer side than the format has is an error that names its size`(_ index: Int) throws {
    let encoder = Self.encoders[index]
    let size = PixelSize(width: encoder.format == .avif ? 65_537 : 262_145, height: 1)
    let strip = try Bitmap(size: size, isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = 255 }
    }
    #expect(throws: ImageEncodingError.tooLarge(encoder.format, size)) {
      try encoder.encode(strip, options: EncodingOptions())
    }
  }

  #if JXL
  @Test(arguments: [(1, true), (0.99, false)] as [(Double, Bool)])
  func `JPEG XL of quality 1 loses nothing`(_ quality: Double, _ isLossless: Bool) throws {
    var state: UInt64 = 1
    let noise = try Bitmap.painted(40, 30) { _, _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return Color(Int(state >> 40 & 255), Int(state >> 48 & 255), Int(state >> 56 & 255), 255)
    }
    let file = try JPEGXLEncoder().encode(noise, options: EncodingOptions(quality: quality))
    let image = try JPEGXLDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect((image.largestDifference(to: noise) == 0) == isLossless)
  }
  #endif

  #if AVIF
  @Test(arguments: [(0.9, true), (0.89, false)])
  func `AVIF keeps its full resolution of colours from a quality of 0.9 on`(
    _ quality: Double, _ hasColors: Bool
  ) throws {
    let stripes = try Bitmap.painted(32, 32) { column, _ in
      column % 2 == 0 ? Color(255, 0, 0, 255) : Color(0, 0, 255, 255)
    }
    let file = try AVIFEncoder().encode(stripes, options: EncodingOptions(quality: quality))
    let color = try AVIFDecoder().decode(file, options: DecodingOptions()).bitmap.color(16, 16)
    #expect((color.x > 215) == hasColors, "\(color)")
  }
  #endif
}
#endif
