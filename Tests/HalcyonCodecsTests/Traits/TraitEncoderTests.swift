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
}
#endif
