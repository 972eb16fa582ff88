import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PNGProbeTests {
  @Test func `colour model, bit depth and alpha are reported`() throws {
    let infos = try ["basn0g01", "basn2c16", "basn3p04", "basn4a08", "tbbn3p08"].map { name in
      try #require(try PNGDecoder().probe(Fixture.data("pngsuite/\(name).png"), isComplete: true))
    }
    #expect(infos.map(\.colorModel) == [.grey, .rgb, .palette, .grey, .palette])
    #expect(infos.map(\.bitDepth) == [1, 16, 4, 8, 8])
    #expect(infos.map(\.hasAlpha) == [false, false, false, true, true])
  }

  #if !IMAGEIO
  @Test func `long texts are skipped`() throws {
    let text = Array("Comment\0".utf8) + [UInt8](repeating: 0x20, count: 5 << 20)
    let plain = try Fixture.data("pngsuite/basn2c08.png")
    let file = FileSurgery.png(plain, inserting: "tEXt", text)
    let bitmap = try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(try bitmap.largestDifference(to: PNGDecoder().decode(plain, options: DecodingOptions()).bitmap) == 0)
  }
  #endif
}
