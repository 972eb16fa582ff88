#if !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.unitTest)
struct JPEGSegmentTests {
  /// Entropy-coded data, and whether a marker follows it.
  private static let scans: [(data: [UInt8], name: String)] = [
    ([1, 2, 3], "plain"), ([0xFF, 0, 0xFF, 0, 7], "stuffed bytes"), ([1, 0xFF, 0xD0, 2, 0xFF, 0xD7, 3], "restarts"),
    ([0xFF, 0xFF, 0xD3, 4], "a fill byte before a restart"), ([9, 0xFF, 0xFF], "a fill byte before the end"),
  ]

  @Test(arguments: scans.indices)
  func `a scan ends at the next marker that is no restart`(_ index: Int) {
    let scan = Self.scans[index]
    let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 5, 6]
    let file = head + scan.data + [0xFF, 0xD9]
    file.withUnsafeBytes { bytes in
      #expect(JPEGSegments.isComplete(bytes), "\(scan.name)")
      #expect(bytes.readableJPEG.count == file.count)
    }
    file.dropLast(2).withUnsafeBytes { #expect(!JPEGSegments.isComplete($0), "\(scan.name)") }
  }

  /// The numbers of the parts of a profile, and how many there are, by which it is read or damaged.
  @Test(
    arguments: [
      ([(1, 2), (2, 2)], true), ([(2, 2), (1, 2)], true), ([(1, 2), (1, 2)], false), ([(1, 2), (3, 2)], false),
      ([(1, 2), (2, 3)], false), ([(0, 2), (1, 2)], false), ([(1, 2)], false),
    ] as [([(UInt8, UInt8)], Bool)])
  func `the parts of a profile are joined in their order`(_ parts: [(number: UInt8, count: UInt8)], _ isWhole: Bool)
    throws
  {
    let profile = try #require(try PNGDecoder().metadata(of: Fixture.data("color/adobe-rgb.png")).colorProfile)
    let halves = [profile.prefix(300), profile.dropFirst(300)].map { Data($0) }
    let (file, _) = JPEGSegments.adding(
      parts.map { part in
        JPEGSegments.Addition(
          0xE2, JPEGHeader.profilePrefix + [part.number, part.count], halves[part.number == 1 ? 0 : 1])
      }, to: try Fixture.data("jpeg/peacock.default.jpeg"))
    let image = try JPEGDecoder().decode(file, options: DecodingOptions())
    #expect(image.info.droppedContent == (isWhole ? [] : [.colorProfile]))
  }

  @Test func `a stripped file has no comment`() throws {
    let file = FileSurgery.jpeg(
      try Fixture.data("jpeg/peacock.default.jpeg"), inserting: 0xFE, Array("taken at home".utf8))
    let stripped = try JPEGSegments.stripped(file)
    #expect(stripped.firstRange(of: Data("home".utf8)) == nil)
    let (image, expected) = try (
      JPEGDecoder().decode(stripped, options: DecodingOptions()), JPEGDecoder().decode(file, options: DecodingOptions())
    )
    #expect(image.bitmap.largestDifference(to: expected.bitmap) == 0)
  }
}
#endif
