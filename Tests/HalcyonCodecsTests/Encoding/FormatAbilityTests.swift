#if !IMAGEIO
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@_spi(Programs) @testable import HalcyonImaging

/// What formats are said to do, and what their encoders do.
@Suite(.integrationTest)
struct FormatAbilityTests {
  private static let formats = StandardCodecs.encoders.map(\.format)

  private static func decoded(_ file: Data) throws -> DecodedImage {
    try StandardCodecs.decoder(of: file).decode(file, options: DecodingOptions())
  }

  @Test(arguments: formats)
  func `an encoder does what its format is said to do`(_ format: ImageFormat) throws {
    let encoder = try StandardCodecs.encoder(for: format)
    let can = format.abilities
    #expect((encoder is any AnimatedImageEncoder) == can.canBeAnimated)
    let photo = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions())
    let counts = try [0.0, 0.3, 0.8, 1].map { quality in
      try encoder.encode(photo.bitmap, options: EncodingOptions(quality: quality)).count
    }
    #expect(counts == counts.sorted() && Set(counts).count == (can.isLossy ? counts.count : 1))
    let lossless = try encoder.encode(photo.bitmap, options: EncodingOptions(quality: 1, isLossless: true))
    #expect((try Self.decoded(lossless).bitmap.largestDifference(to: photo.bitmap) == 0) == can.canBeLossless)
    let clear = try Bitmap.painted(8, 8, isOpaque: false) { _, _ in Color(0, 0, 0, 0) }
    let transparent = try Self.decoded(encoder.encode(clear, options: EncodingOptions()))
    #expect((transparent.bitmap.color(4, 4).w == 0) == can.hasTransparency)
    let metadata = EncodingOptions(metadata: try ImageMetadata(of: ExifSample.jpeg()))
    do {
      _ = try encoder.encode(photo.bitmap, options: metadata)
      #expect(can.carriesMetadata)
    } catch ImageEncodingError.metadataNotSupported {
      #expect(!can.carriesMetadata)
    }
  }
}
#endif
