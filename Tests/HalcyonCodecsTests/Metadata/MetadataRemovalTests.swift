import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct MetadataRemovalTests {
  /// A file of each format with an orientation, Exif, XMP and a comment, and bytes after its end.
  private static func files() throws -> [Data] {
    let jpeg = FileSurgery.jpeg(try ExifSample.jpeg(), inserting: 0xFE, Array("secret comment".utf8))
    let adobe = FileSurgery.jpeg(jpeg, inserting: 0xED, Array("Photoshop 3.0\0secret".utf8))
    var png = try Fixture.data("color/display-p3.png")
    png = FileSurgery.png(png, inserting: "eXIf", Array(ExifSample.camera()))
    png = FileSurgery.png(png, inserting: "tEXt", Array("Comment\0secret".utf8))
    png = FileSurgery.png(png, inserting: "tIME", [7, 0xE8, 1, 1, 1, 1, 1])
    png = FileSurgery.png(png, inserting: "priV", Array("secret".utf8))
    let animation = try FormatFixture.data("alpha-animated.webp")
    var files = [adobe, png, animation]
    if StandardCodecs.writable.contains(.webp) { files.append(try webp()) }
    return files.map { $0 + Data("secret end".utf8) }
  }

  private static func webp() throws -> Data {
    let encoder = try StandardCodecs.encoder(for: .webp)
    let image = try DecodedImage(data: Fixture.data("color/display-p3.jpeg"), colorSpace: .source)
    let webp = try encoder.encode(
      image.bitmap, options: EncodingOptions(metadata: ImageMetadata(info: image.info, copyright: "secret")))
    // Its orientation is added to the Exif data that it has.
    return try #require(Self.replacingExif(of: webp, by: Data(FileSurgery.exif(orientation: 6)) + Data("secret".utf8)))
  }

  private static func replacingExif(of file: Data, by exif: Data) -> Data? {
    guard let chunk = file.firstRange(of: Data("EXIF".utf8)) else { return nil }
    let count = (0..<4).map { UInt8(truncatingIfNeeded: exif.count >> ($0 * 8)) }
    var result = file.prefix(chunk.lowerBound) + Data("EXIF".utf8) + count + exif + Data(count: exif.count % 2)
    for index in 0..<4 { result[4 + index] = UInt8(truncatingIfNeeded: (result.count - 8) >> (index * 8)) }
    return result
  }

  @Test func `nothing but the picture, its colours and its orientation stays`() throws {
    for file in try Self.files() {
      let stripped = try #require(try ImageMetadata.removed(from: file))
      let (before, after) = (try ImageMetadata(of: file), try ImageMetadata(of: stripped))
      #expect(after.info == before.info)
      #expect(after.colorProfile == before.colorProfile)
      #expect(after.xmp == nil && after.camera == nil && after.copyright == nil && after.captureDate == nil)
      #expect(after.exif == (before.info.orientation == .up ? nil : Data(FileSurgery.exif(orientation: 6))))
      #expect(stripped.firstRange(of: Data("secret".utf8)) == nil)
      let pixels = try [file, stripped].map { data in
        try DecodedImage(data: data, colorSpace: .source).bitmap.withUnsafeBytes { Data($0) }
      }
      #expect(pixels[0] == pixels[1])
      #expect(try ImageMetadata.removed(from: stripped) == stripped, "removed once")
    }
  }

  @Test(arguments: ["formats/keep-over.apng", "pngsuite/tbbn3p08.png", "pngsuite/basn6a08.png"])
  func `a PNG keeps the chunks of its frames, its gamma and its transparent colours`(_ name: String) throws {
    let file = try Fixture.data(name)
    let stripped = try #require(try ImageMetadata.removed(from: file))
    let reader = try PNGDecoder().frameReader(for: stripped, options: DecodingOptions())
    let original = try PNGDecoder().frameReader(for: file, options: DecodingOptions())
    while let frame = try original.nextFrame() {
      let copy = try #require(try reader.nextFrame())
      #expect(copy.bitmap.largestDifference(to: frame.bitmap) == 0)
      #expect(copy.duration == frame.duration)
    }
  }

  @Test func `a file that ends too early is an error, and other formats have no such way`() throws {
    for file in try Self.files() {
      #expect(throws: ImageDecodingError.self) { try ImageMetadata.removed(from: file.prefix(file.count - 200)) }
    }
    #expect(try ImageMetadata.removed(from: FormatFixture.data("still.gif")) == nil)
    #expect(throws: ImageDecodingError.unknownFormat) { try ImageMetadata.removed(from: Data("hello".utf8)) }
  }
}
