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

  // ImageIO reads the first directory, whatever it is.
  #if !IMAGEIO
  @Test func `a reduced copy in front of its page is skipped, and one behind it is no page`() throws {
    let (copy, page) = (PixelSize(width: 2, height: 1), PixelSize(width: 4, height: 3))
    for (sizes, hasPages) in [([copy, page], false), ([page, copy], false), ([copy, page, page], true)] {
      let file = pages(sizes.map { ($0, isReduced: $0 == copy) })
      let image = try TIFFDecoder().decode(file, options: DecodingOptions())
      #expect(image.size == page && image.info.droppedContent == (hasPages ? [.pages] : []))
      let directories = sizes.count * (2 + 9 * 12 + 4)
      #expect(try parse(file.prefix(8 + directories)) != nil)
      #expect(try sizes[0] == page || parse(file.prefix(8 + directories / sizes.count + 40)) == nil)
    }
    let image = try TIFFDecoder().decode(pages([(copy, isReduced: true)]), options: DecodingOptions())
    #expect(image.size == copy, "where there is nothing else")
  }
  #endif

  @Test func `directories that refer to themselves are searched once`() throws {
    var file = pages([(PixelSize(width: 2, height: 1), isReduced: true)])
    file.replaceSubrange(8 + 2 + 9 * 12..<8 + 2 + 9 * 12 + 4, with: [8, 0, 0, 0])
    #expect(try parse(file)?.size == PixelSize(width: 2, height: 1))
  }

  /// Grey pages, whose directories come first.
  private func pages(_ pages: [(size: PixelSize, isReduced: Bool)]) -> Data {
    let directoryByteCount = 2 + 9 * 12 + 4
    var file = Data("II*\0".utf8) + Data([8, 0, 0, 0])
    var offset = 8 + pages.count * directoryByteCount
    for (index, page) in pages.enumerated() {
      file += [9, 0]
      let fields = [
        (254, page.isReduced ? 1 : 0), (256, page.size.width), (257, page.size.height), (258, 8), (259, 1), (262, 1),
        (273, offset), (278, page.size.height), (279, page.size.pixelCount),
      ]
      for (tag, value) in fields { file += entry(tag, type: 4, count: 1, value: value) }
      let next = index + 1 == pages.count ? 0 : 8 + (index + 1) * directoryByteCount
      file += (0..<4).map { UInt8(truncatingIfNeeded: next >> ($0 * 8)) }
      offset += page.size.pixelCount
    }
    return file + Data(count: pages.reduce(0) { $0 + $1.size.pixelCount })
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
