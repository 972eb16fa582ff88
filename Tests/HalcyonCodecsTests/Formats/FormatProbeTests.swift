import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct FormatProbeTests {
  @Test(
    arguments: FormatFixture.stills + Fixture.jpegNames + TraitFixture.names
      + ["basn0g01", "basn2c16", "basn3p04", "basi6a08", "tbbn3p08"].map { "pngsuite/\($0).png" })
  func `probing a growing prefix gives nothing, then the final info`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    let decoder = try FormatFixture.decoder(name)
    let whole = try #require(try decoder.probe(file, isComplete: true))
    var isKnownEarly = false
    for count in [Array(0..<min(file.count, 6000)), Array(stride(from: 6000, to: file.count, by: 101))].joined() {
      let part = try decoder.probe(file.prefix(count), isComplete: false)
      #expect(part == nil || part == whole, "\(count) bytes")
      isKnownEarly = isKnownEarly || part != nil
    }
    // If the header contains the image data, the info is not known before the end.
    #expect(isKnownEarly || name.contains("idat") || !TraitFixture.names.contains(name))
  }

  @Test(arguments: FormatFixture.animations)
  func `probing a prefix of an animation gives its size and the frames so far`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    let decoder = try FormatFixture.decoder(name)
    let whole = try #require(try decoder.probe(file, isComplete: true))
    #expect(whole.frameCount == 5)
    #expect(whole.droppedContent == [.frames])
    var frameCount = 0
    for count in 0..<file.count {
      guard let part = try decoder.probe(file.prefix(count), isComplete: false) else { continue }
      #expect(part.storedSize == whole.storedSize)
      #expect(part.frameCount >= frameCount && part.frameCount <= 5)
      frameCount = part.frameCount
    }
    #expect(frameCount >= 4)
  }

  @Test(arguments: [
    "rgb24.bmp", "mask24.ico", "still.gif", "lossy.webp", "alpha.webp", "solid.gif", "lossy-animated.webp",
  ])
  func `the size is known from the first bytes`(_ name: String) throws {
    let file = try FormatFixture.data(name)
    #expect(try FormatFixture.decoder(name).probe(file.prefix(1100), isComplete: false) != nil)
  }

  @Test func `orientation, alpha, colour model and bit depth are reported`() throws {
    func info(_ name: String) throws -> ImageInfo {
      try #require(try FormatFixture.decoder(name).probe(FormatFixture.data(name), isComplete: true))
    }
    #expect(try ["turned.tiff", "turned.webp"].map { try info($0).orientation } == [.right, .right])
    #expect(try ["alpha.tiff", "alpha.webp", "rgba32.bmp", "sizes.ico"].allSatisfy { try info($0).hasAlpha })
    #expect(try ["lzw.tiff", "lossy.webp", "rgb24.bmp", "still.gif"].allSatisfy { try !info($0).hasAlpha })
    #expect(try info("cmyk.tiff").colorModel == .cmyk)
    #expect(try info("palette.tiff").colorModel == .palette)
    #expect(try info("grey16.tiff").bitDepth == 16)
    #expect(try ["pal4.bmp", "rgb555.bmp", "rgb24.bmp"].map { try info($0).bitDepth } == [4, 5, 8])
    #expect(try info("lossy.webp").colorModel == .yCbCr)
    #expect(try info("lossless.webp").colorModel == .rgb)
    #expect(try info("pages.tiff").droppedContent == [.pages])
    #expect(try info("raw.tiff").droppedContent.isEmpty)
  }

  @Test(arguments: FormatFixture.stills + FormatFixture.animations)
  func `an empty or tiny file is an error`(_ name: String) throws {
    for count in [0, 1, 7] {
      #expect(throws: ImageDecodingError.self) {
        try FormatFixture.decoder(name).probe(FormatFixture.data(name).prefix(count), isComplete: true)
      }
    }
  }
}
