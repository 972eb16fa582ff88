import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct TIFFHeaderTests {
  @Test(arguments: ["jpeg.tiff", "raw.tiff", "big.tiff", "palette.tiff"])
  func `a file is complete only with the last byte of its strips and tables`(name: String) throws {
    let file = try FormatFixture.data(name)
    let header = try #require(try parse(file))
    #expect(!header.isTruncated(byteCount: file.count))
    for count in stride(from: 100, to: file.count - 1, by: 17) {
      if let header = try parse(file.prefix(count)) {
        #expect(header.isTruncated(byteCount: count), "\(count) of \(file.count) bytes")
      }
    }
  }

  @Test func `a directory that repeats its largest table is read once`() throws {
    // 4,000 entries, each of them a table of single bytes that is as long as the file.
    let (entryCount, byteCount) = (4000, 4 << 20)
    var file = Data("II*\0".utf8)
    file.append(contentsOf: [8, 0, 0, 0, UInt8(entryCount & 255), UInt8(entryCount >> 8)])
    for (tag, value) in [(256, 1), (257, 1)] { file.append(entry(tag, type: 3, count: 1, value: value)) }
    for _ in 2..<entryCount { file.append(entry(273, type: 1, count: byteCount / 2, value: 8)) }
    file.append(Data(count: byteCount - file.count))
    let header = try #require(try parse(file))
    #expect(header.partOffsets.count == 1 << 20)
  }

  private func parse(_ bytes: Data) throws -> TIFFHeader? {
    try bytes.withUnsafeBytes { try TIFFHeaderParser.parse(Bytes($0)) }
  }

  private func entry(_ tag: Int, type: Int, count: Int, value: Int) -> Data {
    var entry = Data()
    for (number, width) in [(tag, 2), (type, 2), (count, 4), (value, 4)] {
      entry.append(contentsOf: (0..<width).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }
    return entry
  }
}
