import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PreviewTests {
  private static let progressive = "jpeg/peacock.default-progressive.jpeg"
  private static let interlaced = "pngsuite/basi2c08.png"

  @Test(arguments: [progressive, interlaced], [TargetSize.original, .fit(width: 10, height: 10)])
  func `previews approach the final image as bytes arrive`(_ name: String, _ size: TargetSize) throws {
    let file = try Fixture.data(name)
    let options = DecodingOptions(size: size)
    let whole = try decoder(name).decode(file, options: options).bitmap
    let geometry = TargetSize.original.geometry(for: whole.size)
    var differences: [Double] = []
    var stage = 0
    for count in 0...file.count {
      guard let preview = try decoder(name).preview(file.prefix(count), after: stage, options: options) else {
        continue
      }
      #expect(preview.stage > stage && preview.image.isPartial && preview.image.size == whole.size)
      stage = preview.stage
      differences.append(preview.image.bitmap.difference(toAveraged: whole, geometry: geometry))
    }
    #expect(differences.count >= 4)
    #expect(try #require(differences.last) < 1)
    #expect(try #require(differences.first) > #require(differences.last))
  }

  @Test func `metadata and images in it that are no thumbnails give no preview`() throws {
    let hidden = try Fixture.data(Self.progressive).prefix(3_000)
    let exif = FileSurgery.exif(orientation: 1) + Array(hidden)
    var file = FileSurgery.jpeg(
      try Fixture.data(Self.progressive), inserting: 0xE1, Array("Exif\0\0".utf8) + exif)
    for _ in 0..<4 { file = FileSurgery.jpeg(file, inserting: 0xE2, [UInt8](repeating: 0xFF, count: 60_000)) }
    let plain = try Fixture.data(Self.progressive)
    let added = file.count - plain.count
    for count in stride(from: 0, to: added, by: 1_000) {
      #expect(try JPEGDecoder().preview(file.prefix(count), after: 0, options: DecodingOptions()) == nil)
    }
    let preview = try JPEGDecoder().preview(file.dropLast(200), after: 0, options: DecodingOptions())
    let expected = try JPEGDecoder().preview(plain.dropLast(200), after: 0, options: DecodingOptions())
    #expect(try #require(preview).stage == expected?.stage)
  }

  @Test(arguments: ["jpeg/peacock.default.jpeg", Fixture.photo])
  func `a small sequential image has no preview`(_ name: String) throws {
    let file = try Fixture.data(name)
    for count in stride(from: 0, to: file.count, by: 500) {
      #expect(try decoder(name).preview(file.prefix(count), after: 0, options: DecodingOptions()) == nil)
    }
  }

  @Test(arguments: [progressive, interlaced])
  func `a stage is previewed only once`(_ name: String) throws {
    let file = try Fixture.data(name).dropLast(80)
    let preview = try decoder(name).preview(file, after: 0, options: DecodingOptions())
    let stage = try #require(preview).stage
    #expect(try decoder(name).preview(file, after: stage, options: DecodingOptions()) == nil)
  }

  private func decoder(_ name: String) -> any ProgressiveImageDecoder {
    name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
  }
}
