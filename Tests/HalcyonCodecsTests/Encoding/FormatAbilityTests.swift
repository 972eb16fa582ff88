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
    try TraitFixture.decoder(for: file).decode(file, options: DecodingOptions())
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

  /// A list of formats would not know a new one.
  @Test func `no list of formats stands beside their abilities`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let name = "\\.(jpeg|png|gif|webp|bmp|ico|tiff|avif|heic|jpegXL|svg)\\b"
    // Sets and arrays of several formats, and their comparison with one; defaults of settings are choices, not abilities.
    let list = try Regex("\\[\\s*\(name)\\s*,\\s*\(name)")
    var lists: [String] = []
    for folder in ["Sources", "Service/Sources", "Tools/Sources"] {
      let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift", !file.lastPathComponent.hasPrefix("ImageFormat") else { continue }
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
          let isCode = !line.drop { $0 == " " }.hasPrefix("//")
          if isCode, line.contains(list) { lists.append("\(file.lastPathComponent): \(line)") }
        }
      }
    }
    #expect(lists == ["ServiceConfiguration.swift:   public var preferredFormats: [ImageFormat] = [.jpeg, .png, .gif]"])
  }
}
#endif
