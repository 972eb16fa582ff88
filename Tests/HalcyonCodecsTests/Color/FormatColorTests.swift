import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct FormatColorTests {
  @Test(arguments: [("display-p3.webp", "display-p3"), ("display-p3.tiff", "display-p3"), ("inks.tiff", "inks")])
  func `colours with an ICC profile match Pillow`(_ name: String, _ expected: String) throws {
    let image = try decode(name)
    let reference = try decode("\(expected).expected.png")
    #expect(image.info.hasColorProfile && image.info.droppedContent.isEmpty)
    #expect(image.bitmap.largestDifference(to: reference.bitmap) <= 2)
  }

  @Test(arguments: ["display-p3.webp", "display-p3.tiff", "inks.tiff"])
  func `a damaged profile is ignored and reported`(_ name: String) throws {
    var file = try Fixture.data("color/\(name)")
    let signature = try #require(file.firstRange(of: Data("acsp".utf8)))
    file[signature.lowerBound] ^= 0x55
    let image = try decoder(file).decode(file, options: DecodingOptions())
    #expect(image.info.droppedContent == [.colorProfile])
  }

  private func decode(_ name: String) throws -> DecodedImage {
    let file = try Fixture.data("color/\(name)")
    return try decoder(file).decode(file, options: DecodingOptions())
  }

  private func decoder(_ file: Data) throws -> any ImageDecoder {
    let format = try #require(ImageFormat(sniffing: file))
    return try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
  }
}
