#if !IMAGEIO
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
}
#endif
