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
