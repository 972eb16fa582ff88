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
    ([0xFF, 0xFF, 0xD3, 4], "a fill byte before a restart"), ([9, 0xFF, 0xFF], "fill bytes before the end"),
    ([9, 0xFF], "a fill byte before the end"),
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

  /// Bytes after the start of a file, and the markers, ranges and contents of its segments.
  @Test(
    arguments: [
      ([0xFF, 0xFE, 0, 3, 9], "fe 2..<7 [9]"), ([0xFF, 0xFF, 0xFF, 0xFE, 0, 2], "fe 4..<8 []"),
      ([1, 2, 0xFF, 0, 0xFF, 0xFE, 0, 2], "fe 6..<10 []"),
      ([0xFF, 1, 0xFF, 0xD8, 0xFF, 0xD3, 0xFF, 0xFE, 0, 2], "fe 8..<12 []"),
      ([0xFF, 2, 0, 2], "2 2..<6 []"), ([0xFF, 0xFE, 0, 0, 0xFF, 0xE1, 0, 1, 9], "fe 2..<6 [] e1 6..<10 []"),
      ([0xFF, 0xFE, 0, 4, 9], ""), ([0xFF, 0xFE, 0], ""), ([0xFF], ""),
      ([0xFF, 0xD9, 0xFF, 0xFE, 0, 2], "d9 2..<4 []"),
    ] as [([UInt8], String)])
  func `segments are found between other bytes`(_ bytes: [UInt8], _ expected: String) {
    let found = ([0xFF, 0xD8] + bytes).withUnsafeBytes { bytes in
      var (segments, found) = (JPEGSegments(bytes), [String]())
      while let segment = segments?.next() {
        found.append("\(String(segment.marker, radix: 16)) \(segment.range) \(Array(segment.header.buffer))")
        if segment.marker == JPEGSegments.endOfImage { break }
      }
      return found.joined(separator: " ")
    }
    #expect(found == expected)
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

  @Test(arguments: [(0, 65_533, true), (0, 65_534, false), (35, 65_498, true), (35, 65_499, false)])
  func `a segment has room for its prefix and its content together`(_ prefix: Int, _ content: Int, _ fits: Bool)
    throws
  {
    let addition = JPEGSegments.Addition(0xE1, [UInt8](repeating: 1, count: prefix), Data(count: content))
    // A longer one has a length that two bytes cannot state.
    try #require(addition.fits == fits)
    let photo = try Fixture.data("jpeg/peacock.default.jpeg")
    #expect(JPEGSegments.adding([addition], to: photo).file.count == photo.count + (fits ? 4 + prefix + content : 0))
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

  @Test func `a stripped file keeps Adobe's marker, by which its samples are RGB`() throws {
    let photo = try Fixture.data("jpeg/peacock.default.jpeg")
    // Without JFIF's marker, which would take precedence.
    let file = FileSurgery.jpeg(
      photo.prefix(2) + photo.dropFirst(20), inserting: 0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    for data in [file, try JPEGSegments.stripped(file)] {
      #expect(try JPEGDecoder().probe(data, isComplete: true)?.colorModel == .rgb)
    }
  }
}
#endif
