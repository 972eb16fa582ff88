import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PNGColorTests {
  private static let displayP3 = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000]
  private static let bt709 = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]

  @Test func `primaries with a standard gamma match the equivalent profile`() throws {
    let file = try described(["cHRM": Self.displayP3, "gAMA": [45455]])
    let expected = try decode(Fixture.data("color/display-p3.expected.png"))
    #expect(try decode(file).largestDifference(to: expected) <= 2)
  }

  @Test(arguments: [
    ["gAMA": [45455]], ["gAMA": [47000]], ["cHRM": bt709, "gAMA": [45455]], ["cHRM": displayP3], ["gAMA": [0]],
    ["gAMA": [2_000_000_000]], ["cHRM": [0, 0, 0, 0, 0, 0, 0, 0], "gAMA": [45455]],
  ])
  func `a standard gamma, sRGB primaries and invalid values change nothing`(_ chunks: [String: [Int]]) throws {
    let plain = try decode(described([:]))
    #expect(try decode(described(chunks)).largestDifference(to: plain) == 0)
  }

  @Test func `a linear gamma brightens`() throws {
    let grey = try Bitmap.painted(4, 4) { _, _ in Color(128, 128, 128, 255) }
    let file = try PNGEncoder().encode(grey, options: EncodingOptions())
    let linear = FileSurgery.png(file, inserting: "gAMA", FileSurgery.bytes(100_000, count: 4))
    // A linear value of 128/255 is 188 in sRGB.
    #expect(try abs(decode(linear).color(1, 1).x - 188) <= 1)
  }

  @Test func `sRGB, iCCP and cICP take precedence over gAMA and cHRM`() throws {
    let file = try described(["cHRM": Self.displayP3, "gAMA": [100_000]])
    let marked = FileSurgery.png(file, inserting: "sRGB", [0])
    #expect(try decode(marked).largestDifference(to: decode(described([:]))) == 0)
    let profile = try Fixture.data("color/adobe-rgb.png")
    let bright = FileSurgery.png(profile, inserting: "gAMA", FileSurgery.bytes(100_000, count: 4))
    #expect(try decode(bright).largestDifference(to: decode(profile)) == 0)
    let plain = try described(["cHRM": Self.bt709, "gAMA": [100_000]])
    let coded = FileSurgery.png(plain, inserting: "cICP", [12, 13, 0, 1])
    let expected = try decode(Fixture.data("color/display-p3.expected.png"))
    #expect(try decode(coded).largestDifference(to: expected) <= 2)
  }

  /// `display-p3.png` without its profile, with chunks of four-byte integers inserted.
  private func described(_ chunks: [String: [Int]]) throws -> Data {
    var file = try Fixture.data("color/display-p3.png")
    let profile = try #require(file.firstRange(of: Data("iCCP".utf8)))
    file.replaceSubrange(profile, with: Array("icCP".utf8))
    return chunks.reduce(PNGChecksums.repaired(file)) { file, chunk in
      FileSurgery.png(file, inserting: chunk.key, chunk.value.flatMap { FileSurgery.bytes($0, count: 4) })
    }
  }

  private func decode(_ file: Data) throws -> Bitmap {
    try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
  }
}
