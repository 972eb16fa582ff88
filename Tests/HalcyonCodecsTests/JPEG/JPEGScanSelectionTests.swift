#if !IMAGEIO
import HalcyonImaging
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct JPEGScanSelectionTests {
  /// Each pair of files has the same coefficients, baseline and progressive.
  private static let names = ["default", "s1x1-444", "s2x1-422", "made-440"]

  @Test(arguments: names)
  func `dropping scans at 1/8 changes no pixel`(name: String) throws {
    let baseline = try Fixture.data("jpeg/peacock.\(name).jpeg")
    let progressive = try Fixture.data("jpeg/peacock.\(name)-progressive.jpeg")
    let selected = try #require(
      progressive.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .eighth) })
    #expect(selected.count < progressive.count)
    for size in [TargetSize.fit(width: 5, height: 5), .fit(width: 3, height: 3), .fill(width: 2, height: 4)] {
      let options = DecodingOptions(size: size)
      let expected = try JPEGDecoder().decode(baseline, options: options).bitmap
      #expect(try JPEGDecoder().decode(progressive, options: options).bitmap.largestDifference(to: expected) == 0)
    }
  }

  @Test(arguments: names)
  func `dropping the last bits at 1/4 changes almost nothing`(name: String) throws {
    let baseline = try Fixture.data("jpeg/peacock.\(name).jpeg")
    let progressive = try Fixture.data("jpeg/peacock.\(name)-progressive.jpeg")
    let eighth = progressive.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .eighth)?.count }
    let quarter = progressive.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .quarter)?.count }
    #expect(try #require(eighth) < #require(quarter) && #require(quarter) < progressive.count)
    let options = DecodingOptions(size: .fit(width: 12, height: 12))
    let expected = try JPEGDecoder().decode(baseline, options: options).bitmap
    let image = try JPEGDecoder().decode(progressive, options: options).bitmap
    #expect(image.difference(toAveraged: expected, geometry: TargetSize.original.geometry(for: expected.size)) < 1.5)
  }

  @Test(arguments: names)
  func `the whole scale needs all scans`(name: String) throws {
    let progressive = try Fixture.data("jpeg/peacock.\(name)-progressive.jpeg")
    #expect(progressive.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .full) } == nil)
  }

  @Test(arguments: names, [1, 5, 6, 16])
  func `at 1/2, only the last bits of finely quantised coefficients are dropped`(name: String, step: UInt8) throws {
    let progressive = try Fixture.data("jpeg/peacock.\(name)-progressive.jpeg").quantised(inStepsOf: step)
    let half = progressive.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .half) }
    let quarter = progressive.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .quarter) }
    #expect(quarter != nil && half == (step <= 5 ? quarter : nil))
  }

  @Test(arguments: names)
  func `a baseline file has no scans to drop`(name: String) throws {
    let baseline = try Fixture.data("jpeg/peacock.\(name).jpeg")
    #expect(baseline.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .eighth) } == nil)
  }

  @Test func `no prefix or corruption causes an out-of-bounds read or an incomplete selection`() throws {
    let file = try Fixture.data("jpeg/peacock.default-progressive.jpeg")
    for count in 0..<file.count {
      #expect(file.prefix(count).withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: .eighth) } == nil)
    }
    for position in file.indices {
      var damaged = file
      damaged[position] ^= 0xFF
      for scale in [JPEGScale.eighth, .half] {
        let selected = damaged.withUnsafeBytes { JPEGScanSelection.essentialBytes(of: $0, scale: scale) }
        #expect((selected?.count ?? 0) <= file.count)
      }
    }
  }

  @Test func `a truncated progressive file is an error at a small size`() throws {
    let file = try Fixture.data("jpeg/peacock.default-progressive.jpeg")
    #expect(throws: ImageDecodingError.truncated(.jpeg)) {
      try JPEGDecoder().decode(file.dropLast(40), options: DecodingOptions(size: .fit(width: 5, height: 5)))
    }
  }
}

extension Data {
  /// A JPEG file with all steps of its quantisation tables replaced.
  fileprivate func quantised(inStepsOf step: UInt8) throws -> Data {
    var file = self
    let tables = try withUnsafeBytes { buffer in
      var segments = try #require(JPEGSegments(buffer))
      var ranges: [Range<Int>] = []
      while let segment = segments.next() { if segment.marker == 0xDB { ranges.append(segment.range) } }
      return ranges
    }
    for table in tables {
      for start in stride(from: table.lowerBound + 4, to: table.upperBound, by: 65) {
        file.replaceSubrange(start + 1..<start + 65, with: repeatElement(step, count: 64))
      }
    }
    return file
  }
}
#endif
