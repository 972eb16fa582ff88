import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct PNGReceivedPassesTests {
  private static let names = ["basi0g01", "basi0g16", "basi2c08", "basi3p04", "basi4a16", "basi6a08"]

  @Test(arguments: names)
  func `the passes rise from 0 to 7 as an interlaced image is received`(_ name: String) throws {
    let file = try Fixture.data("pngsuite/\(name).png")
    let header = try #require(try file.withUnsafeBytes { try PNGHeaderParser.parse(Bytes($0)) })
    var counts: [Int] = []
    for end in 8...file.count {
      counts.append(file.prefix(end).withUnsafeBytes { PNGReceivedPasses(header).count(in: $0) })
    }
    #expect(counts == counts.sorted() && counts.first == 0 && counts.last == Adam7.passCount)
    #expect(Set(counts).count >= 3)
  }

  @Test(arguments: [1, 2, 3, 5, 8, 33])
  func `the sizes of the passes add up to the image`(_ side: Int) {
    let size = PixelSize(width: side, height: side + 2)
    #expect((0..<7).reduce(0) { $0 + Adam7(pass: $1).size(of: size).pixelCount } == size.pixelCount)
  }
}
