import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// The parameters of gain maps in both of their forms.
@Suite(.unitTest)
struct GainMapParametersTests {
  private static let required = "hdrgm:Version='1.0' hdrgm:GainMapMax='2' hdrgm:HDRCapacityMax='3' "

  private func read(_ attributes: String, _ content: String = "") -> GainMap.Parameters? {
    let packet = """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \(attributes)>\(content)</rdf:Description></rdf:RDF>
      """
    return GainMap.Parameters(XMPPacket(Data(packet.utf8)))
  }

  /// Attributes beside the required ones, and whether they are in range.
  private static let attributes: [(String, Bool)] = [
    ("", true), ("hdrgm:GainMapMin='2'", true), ("hdrgm:GainMapMin='2.5'", false), ("hdrgm:Gamma='0'", false),
    ("hdrgm:Gamma='x'", false), ("hdrgm:OffsetSDR='10.3' hdrgm:OffsetHDR='6.7'", true),
    ("hdrgm:OffsetSDR='1e10'", false), ("hdrgm:HDRCapacityMin='3'", false), ("hdrgm:HDRCapacityMin='nan'", false),
    ("hdrgm:HDRCapacityMin='x'", false),
  ]

  @Test(arguments: attributes) func `parameters in XMP are in range`(attributes: String, isValid: Bool) {
    #expect((read(Self.required + attributes) != nil) == isValid)
  }

  @Test(arguments: ["Version", "GainMapMax", "HDRCapacityMax"])
  func `parameters in XMP are complete`(name: String) {
    #expect(read(Self.required.replacing(name, with: "Other")) == nil)
  }

  @Test func `parameters in XMP have their defaults, and one value or one for each channel`() throws {
    var expected = GainMap.Parameters()
    (expected.gainMax, expected.capacityMax) = (SIMD3(repeating: 2), 3)
    #expect(try #require(read(Self.required)) == expected)
    func list(_ values: [Double]) -> String {
      "<hdrgm:Gamma><rdf:Seq>" + values.map { "<rdf:li>\($0)</rdf:li>" }.joined() + "</rdf:Seq></hdrgm:Gamma>"
    }
    #expect(read(Self.required, list([0.5]))?.gamma == SIMD3(repeating: 0.5))
    #expect(read(Self.required, list([0.5, 1, 2]))?.gamma == SIMD3(0.5, 1, 2))
    for values in [[0.5, 1], [0.5, 1, 2, 3]] { #expect(read(Self.required, list(values)) == nil) }
  }

  @Test(arguments: [("True", true), ("true", true), ("TRUE", true), ("False", false), ("false", false), ("", false)])
  func `the picture is the one with high dynamic range if the packet says so`(text: String, isHDR: Bool) {
    #expect(read(Self.required + "hdrgm:BaseRenditionIsHDR='\(text)'")?.baseIsHDR == isHDR)
  }

  private func parameters(_ change: (inout Data) -> Void = { _ in }) -> GainMap.Parameters? {
    var parameters = GainMap.Parameters()
    (parameters.gainMin, parameters.gainMax) = (SIMD3(0, 0.5, -1), SIMD3(1, 2, 3))
    (parameters.gamma, parameters.offsetSDR) = (SIMD3(0.25, 1, 2), SIMD3(10.3, 0, -1))
    (parameters.capacityMin, parameters.capacityMax) = (0.5, 4)
    var data = parameters.isoData
    change(&data)
    return data.withUnsafeBytes { GainMap.Parameters(iso: Bytes($0)) }
  }

  @Test func `parameters in ISO's form are those that were written`() throws {
    let read = try #require(parameters())
    #expect(read.gainMin == SIMD3(0, 0.5, -1))
    #expect(read.gainMax == SIMD3(1, 2, 3))
    #expect(read.gamma == SIMD3(0.25, 1, 2))
    #expect(abs(read.offsetSDR.x - 10.3) < 1e-6)
    #expect(read.offsetHDR == SIMD3(repeating: 1.0 / 64))
    #expect(read.capacityMin == 0.5)
    #expect(read.capacityMax == 4)
    #expect(!read.baseIsHDR)
    let byteCount = 5 + 8 * (2 + 3 * 5)
    for count in 0...byteCount {
      let cut = parameters { $0 = Data($0.prefix(count)) }
      #expect((cut == nil) == (count < byteCount))
    }
  }

  @Test func `ISO's form says which picture has high dynamic range, in two ways`() throws {
    let backward = try #require(parameters { $0[4] |= 1 << 2 })
    #expect(backward.baseIsHDR)
    #expect(backward.capacityMax == 4)
    // The headroom of the picture, then that of the other one.
    let turned = try #require(
      parameters { data in
        let (first, second) = (Data(data[5..<13]), Data(data[13..<21]))
        data.replaceSubrange(5..<21, with: second + first)
      })
    #expect(turned.baseIsHDR)
    #expect(turned.capacityMin == 0.5)
    #expect(turned.capacityMax == 4)
  }

  @Test func `ISO's form may have one channel, and one denominator, and is not read in a later version`() throws {
    let grey = try #require(parameters { $0[4] &= ~(1 << 7) })
    #expect(grey.gainMax == SIMD3(repeating: 1))
    #expect(grey.gamma == SIMD3(repeating: 0.25))
    #expect(parameters { $0[1] = 1 } == nil)
    #expect(parameters { $0[9...12] = Data(count: 4) } == nil)
    // Halves: 0 and 4 stops of headroom, 2 stops of gain, a gamma of 1.
    let numbers: [UInt8] = [2, 0, 8, 0, 4, 2, 0, 0]
    var data = Data([0, 0, 0, 0, 1 << 3])
    for number in numbers { data += Data([0, 0, 0, number]) }
    let read = try #require(data.withUnsafeBytes { GainMap.Parameters(iso: Bytes($0)) })
    #expect(read.capacityMax == 4)
    #expect(read.gainMax == SIMD3(repeating: 2))
    #expect(read.gamma == SIMD3(repeating: 1))
    #expect(read.offsetSDR == .zero)
  }
}
