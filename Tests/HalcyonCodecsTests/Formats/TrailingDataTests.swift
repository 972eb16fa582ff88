import Foundation
@testable import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Files with anything after their image: phones append films and data of their own, transfers a line end.
@Suite(.integrationTest)
struct TrailingDataTests {
  private static let trailers: [(name: String, bytes: [UInt8])] = [
    ("one byte", [0]), ("a line end", [13, 10]), ("three bytes", [1, 2, 3]), ("zeros", Array(repeating: 0, count: 40)),
    ("a motion photo", Array("MotionPhoto_Data".utf8) + Array(repeating: 7, count: 100)),
    ("Samsung's trailer", [0, 0, 0x31, 0x0A, 8, 0, 0, 0] + Array("Image_UTC_Data1SEFHSEFT".utf8)),
    ("a cut film", [0, 1, 0, 0] + Array("mpvd".utf8) + [0, 0, 0]), ("a cut gap", [0, 0, 0, 99] + Array("free".utf8)),
    ("a box of no size", [0, 0, 0, 2] + Array("free".utf8) + Array(repeating: 1, count: 40)),
    ("a box with a huge size", [0, 0, 0, 1] + Array("free".utf8) + Array(repeating: 255, count: 40)),
  ]

  private static let boxFiles = TraitFixture.withGolden.map(\.name).filter { !$0.hasPrefix("jxl") }
  private static let otherFiles =
    Fixture.jpegNames.prefix(2) + [Fixture.photo] + FormatFixture.stills.map { "formats/\($0)" }

  @Test(arguments: boxFiles, trailers.indices)
  func `an AVIF or HEIC file ends with its items`(_ name: String, _ index: Int) throws {
    let file = try Fixture.data(name)
    let decoder = try StandardCodecs.decoder(of: file)
    try expectEqual(file, file + Self.trailers[index].bytes, decoder, Self.trailers[index].name)
  }

  @Test(arguments: otherFiles)
  func `other files may be followed by anything, too`(_ name: String) throws {
    let file = try Fixture.data(name)
    let decoder = try StandardCodecs.decoder(of: file)
    for trailer in Self.trailers.prefix(5) {
      try expectEqual(file, file + trailer.bytes, decoder, trailer.name)
    }
  }

  @Test(arguments: boxFiles.filter { !$0.contains("idat") })
  func `a last box whose size says too much is as long as the file`(_ name: String) throws {
    let file = try Fixture.data(name)
    var position = 0
    var last = 0
    while position + 8 <= file.count {
      last = position
      position += file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    var longer = file
    longer[last + 1] += 1
    try expectEqual(file, longer, StandardCodecs.decoder(of: file), "64 KiB too much")
  }

  #if HEIF && !IMAGEIO
  /// libheif decodes what is not coded in HEVC.
  @Test(arguments: ["avif/photo-420.avif", "avif/transparency.avif"], trailers.indices)
  func `a file that libheif decodes ends with its items, too`(_ name: String, _ index: Int) throws {
    let file = try Fixture.data(name)
    try expectEqual(file, file + Self.trailers[index].bytes, HEIFDecoder(), Self.trailers[index].name)
  }
  #endif

  #if AVIF && !IMAGEIO
  @Test func `an image sequence ends with its last frame`() throws {
    let file = try Fixture.data("avif/colors-animated-8bpc.avif")
    for trailer in Self.trailers {
      let reader = try AVIFDecoder().frameReader(for: file + trailer.bytes, options: DecodingOptions())
      var count = 0
      while try reader.nextFrame() != nil { count += 1 }
      #expect(count == 5, "\(trailer.name)")
    }
    for missing in [1, 40, 400] {
      #expect(throws: ImageDecodingError.truncated(.avif)) {
        try AVIFDecoder().decode(file.dropLast(missing), options: DecodingOptions())
      }
    }
  }
  #endif

  private func expectEqual(_ file: Data, _ other: Data, _ decoder: any ImageDecoder, _ trailer: String) throws {
    let whole = try decoder.decode(file, options: DecodingOptions())
    let image = try decoder.decode(other, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: whole.bitmap) == 0 && image.info == whole.info, "\(trailer)")
    #expect(!image.isPartial)
    #expect(try decoder.metadata(of: other).info == whole.info)
  }
}
