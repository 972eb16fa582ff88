import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

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

  private static func numbers(_ values: Int...) -> [UInt8] { values.flatMap { FileSurgery.bytes($0, count: 4) } }

  /// Chunks, the colour space that they name, and the one that they describe.
  private static let descriptions: [([(String, [UInt8])], String)] = [
    ([], "- -"), ([("sRGB", [0])], "sRGB -"), ([("cICP", [12, 13, 0, 1])], "displayP3 0.68 sRGB"),
    ([("sRGB", [0]), ("cICP", [9, 13, 0, 1])], "bt2020 0.708 sRGB"), ([("cICP", [9])], "- -"),
    ([("cICP", [12, 8, 0, 1])], "displayP3 0.68 gamma(1.0)"), ([("cICP", [9, 16, 0, 1])], "bt2020 -"),
    // Not RGB, or not with the full range.
    ([("cICP", [12, 13, 1, 1])], "displayP3 -"), ([("cICP", [12, 13, 0, 0])], "displayP3 -"),
    ([("gAMA", numbers(47700))], "- -"), ([("gAMA", numbers(47800))], "- 0.64 gamma(\(1 / 0.478))"),
    ([("gAMA", numbers(43200))], "- -"), ([("gAMA", numbers(43100))], "- 0.64 gamma(\(1 / 0.431))"),
    ([("gAMA", numbers(10_000))], "- 0.64 gamma(10.0)"), ([("gAMA", numbers(9999))], "- -"),
    ([("gAMA", numbers(1_000_000))], "- 0.64 gamma(0.1)"), ([("gAMA", numbers(1_000_001))], "- -"),
    ([("sRGB", [0]), ("gAMA", numbers(10_000))], "sRGB -"),
    ([("gAMA", numbers(45_455)), ("cHRM", displayP3.flatMap { numbers($0) })], "- 0.68 sRGB"),
    ([("gAMA", numbers(100_000)), ("cHRM", [UInt8](repeating: 0, count: 32))], "- 0.64 gamma(1.0)"),
    ([("gAMA", numbers(100_000)), ("cHRM", displayP3.dropLast().flatMap { numbers($0) })], "- 0.64 gamma(1.0)"),
  ]

  @Test(arguments: descriptions.indices) func `chunks describe a colour space`(_ index: Int) {
    let (chunks, expected) = Self.descriptions[index]
    var color = PNGColor()
    for (type, content) in chunks { content.withUnsafeBytes { color.readChunk(Bytes($0), of: type, at: 0) } }
    var text = "\(color.hint.map { "\($0)" } ?? "-") -"
    if case .display(let chromaticities, let curve) = color.description(
      in: UnsafeRawBufferPointer(start: nil, count: 0))
    {
      text = "\(text.dropLast())\(chromaticities.red.x) \(curve)"
    }
    #expect(text == expected)
  }

  @Test func `the first profile applies, and luminances are those of the signal`() {
    var color = PNGColor()
    for (type, content) in [
      ("iCCP", [1, 2]), ("iCCP", [3]), ("cICP", [9, 16, 0, 1]), ("cLLI", Self.numbers(4_000_000, 0)),
      ("mDCV", [UInt8](repeating: 0, count: 16) + Self.numbers(6_000_000, 0)),
    ] as [(String, [UInt8])] {
      content.withUnsafeBytes { color.readChunk(Bytes($0), of: type, at: content.count) }
    }
    #expect(color.profile == 2..<4)
    #expect(color.highDynamicRange?.peak == 400)
    let written = PNGColor.added(ContentLight(contentPeak: 0.57), to: Data())
    #expect(written.dropLast(8).suffix(4) == Data(Self.numbers(5700)))
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
