import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct JPEGXLFileHeaderTests {
  private static let names = [
    "blending__cropped_traffic_light", "boxes__square-extended-size-container", "gradient-alpha", "mosaic-1",
    "mosaic-2",
    "mosaic-3", "mosaic-4", "mosaic-5", "mosaic-6", "mosaic-7", "mosaic-8", "photo", "pq_gradient",
    "spline_on_first_frame",
  ]

  private static func info(_ file: Data) throws -> ImageInfo {
    try file.withUnsafeBytes { try JPEGXLFileHeader(Bytes($0)).info }
  }

  #if JXL && !IMAGEIO
  @Test(arguments: names)
  func `the header says what libjxl reads, except how many frames there are`(name: String) throws {
    let file = try Fixture.data("jxl/\(name).jxl")
    var expected = try file.withUnsafeBytes { try JPEGXLHeader($0).info }
    if expected.frameCount > 1 {
      expected.frameCount = 1
      expected.droppedContent.insert(.frames)
    }
    #expect(try Self.info(file) == expected)
  }

  @Test(arguments: ColorSpace.allCases)
  func `the header says whether colours are wider than those of sRGB`(_ space: ColorSpace) throws {
    let bitmap = try Bitmap(size: PixelSize(width: 8, height: 8), isOpaque: true, colorSpace: space) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(index % 4 * 60) }
    }
    let file = try JPEGXLEncoder().encode(bitmap, options: EncodingOptions(quality: 0.5))
    let isWide = try file.withUnsafeBytes { try JPEGXLFileHeader(Bytes($0)).isWide }
    #expect(isWide == (space == .displayP3))
  }

  @Test func `floats of 32 bits count as 16 bits`() throws {
    // The header of a picture of 8 by 8 pixels, and room for the frame that it lacks.
    let file = Data([0xFF, 0x0A, 0x41, 0xC8, 0x61, 0x02]) + Data(count: 16)
    let info = try #require(try JPEGXLDecoder().probe(file, isComplete: false))
    #expect(info.bitDepth == 16)
    #expect(info.storedSize == PixelSize(width: 8, height: 8))
    #expect(try Self.info(file) == info)
  }

  @Test func `splines that libjxl refuses are unsupported, and other damage is damage`() throws {
    let splines = try Fixture.data("jxl/splines.jxl")
    #expect(splines.withUnsafeBytes { JPEGXLFileHeader.hasSplines(Bytes($0)) })
    do {
      _ = try JPEGXLDecoder().decode(splines, options: DecodingOptions())
    } catch let error as ImageDecodingError {
      // Newer versions draw them.
      let feature = "splines that this version of libjxl does not draw"
      #expect(error == .unsupportedFeature(.jpegXL, feature: feature))
    }
    for name in ["photo", "gradient-alpha", "pq_gradient", "blending__cropped_traffic_light"] {
      let file = try Fixture.data("jxl/\(name).jxl")
      #expect(!file.withUnsafeBytes { JPEGXLFileHeader.hasSplines(Bytes($0)) })
    }
    var damaged = try Fixture.data("jxl/photo.jxl")
    damaged[60] ^= 0xFF
    #expect(throws: ImageDecodingError.corrupt(.jpegXL, reason: "libjxl cannot read it")) {
      try JPEGXLDecoder().decode(damaged, options: DecodingOptions())
    }
  }

  @Test(.slow, arguments: [1, 8, 256, 257, 8192, 8193, 40_000])
  func `every coding of the size is read`(width: Int) throws {
    for height in [1, 8, 9, 300] {
      let bitmap = try Bitmap.painted(width, height, isOpaque: height > 8) { _, _ in Color(0, 0, 0, 255) }
      let file = try JPEGXLEncoder().encode(bitmap, options: EncodingOptions(quality: 0.5))
      let info = try Self.info(file)
      #expect(info.storedSize == bitmap.size)
      #expect(info == (try file.withUnsafeBytes { try JPEGXLHeader($0).info }))
    }
  }
  #endif

  @Test func `a header that is cut anywhere is truncated`() throws {
    for name in Self.names {
      let file = try Fixture.data("jxl/\(name).jxl")
      var cuts = 0
      for count in 0..<file.count {
        do {
          _ = try Self.info(file.prefix(count))
          break
        } catch ImageDecodingError.truncated {
          cuts += 1
        }
      }
      #expect(cuts >= 4)
    }
  }

  @Test func `bytes without a codestream are an error`() throws {
    #expect(throws: ImageDecodingError.self) { try Self.info(Data("not JPEG XL".utf8)) }
    #expect(throws: ImageDecodingError.self) { try Self.info(Data()) }
  }

  @Test func `a header with one damaged byte gives a size or an error`() throws {
    for name in Self.names {
      let file = try Fixture.data("jxl/\(name).jxl")
      for index in 0..<min(file.count, 200) {
        for value in [0, 0x55, 0xFF] as [UInt8] {
          var damaged = file
          damaged[index] = value
          if let info = try? Self.info(damaged) { #expect(info.storedSize.width > 0 && info.storedSize.height > 0) }
        }
      }
    }
  }
}
