import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct ICCProfileHeaderTests {
  private static func profile(_ space: String, byteCount: Int = 200) -> Data {
    var data = Data(count: byteCount)
    data.replaceSubrange(0..<4, with: FileSurgery.bytes(byteCount, count: 4))
    data.replaceSubrange(16..<20, with: Array(space.utf8))
    data.replaceSubrange(36..<40, with: Array("acsp".utf8))
    return data
  }

  @Test(
    arguments: [
      ("RGB ", [.rgb, .yCbCr, .palette, .grey]), ("GRAY", [.grey]), ("CMYK", [.cmyk]), ("Lab ", []),
    ] as [(String, [ColorModel])])
  func `a profile applies to the colour models of its colour space`(_ space: String, _ models: [ColorModel]) throws {
    let header = try #require(ICCProfileHeader(Self.profile(space)))
    for model in [ColorModel.rgb, .yCbCr, .palette, .grey, .cmyk] {
      #expect(header.applies(to: model) == models.contains(model))
    }
  }

  /// Texts with their languages, as the description of a profile.
  private static func described(_ texts: [(language: String, text: String)]) -> Data {
    var (records, strings) = (Data(), Data())
    for (language, text) in texts {
      let units = text.utf16.flatMap { FileSurgery.bytes(Int($0), count: 2) }
      records += Data(language.utf8) + Data(bigEndian: units.count, count: 4)
      records += Data(bigEndian: 16 + 12 * texts.count + strings.count, count: 4)
      strings += units
    }
    let count = Data(bigEndian: texts.count, count: 4) + Data(bigEndian: 12, count: 4)
    let description = Data("mluc\0\0\0\0".utf8) + count + records + strings
    let entry = Data("desc".utf8) + Data(bigEndian: 144, count: 4) + Data(bigEndian: description.count, count: 4)
    return Data(count: 128) + Data(bigEndian: 1, count: 4) + entry + description
  }

  @Test(
    arguments: [
      ([("deDE", "Farbe"), ("enUS", "Colour"), ("enGB", "Other")], "Colour"),
      ([("deDE", "Farbe"), ("frFR", "B")], "Farbe"),
      ([("enUS", "A\0B")], "A"), ([], nil),
    ] as [([(String, String)], String?)])
  func `the name of a profile is in English, or else in its first language`(
    _ texts: [(String, String)], _ expected: String?
  ) {
    #expect(ICCProfileName.name(of: Self.described(texts)) == expected)
  }

  @Test func `a profile that is damaged, cut or too large is none`() {
    let whole = Self.profile("RGB ")
    #expect(ICCProfileHeader(whole) != nil)
    #expect(ICCProfileHeader(whole.dropLast(1)) == nil)
    #expect(ICCProfileHeader(whole.prefix(100)) == nil)
    #expect(ICCProfileHeader(Data()) == nil)
    #expect(ICCProfileHeader(Self.profile("RGB ", byteCount: 5 << 20)) == nil)
    var damaged = whole
    damaged[36] ^= 1
    #expect(ICCProfileHeader(damaged) == nil)
  }
}
