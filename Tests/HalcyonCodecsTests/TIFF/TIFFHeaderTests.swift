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
  /// The flags of a subfile are 1 for a reduced copy, 2 for one of several pages, and 4 for a mask.
  @Test(arguments: [(0, false), (1, true), (2, false), (3, true), (4, false), (5, true)])
  func `only a reduced copy is skipped`(_ flags: Int, _ isSkipped: Bool) throws {
    let (first, second) = (PixelSize(width: 2, height: 1), PixelSize(width: 4, height: 3))
    var file = pages([(first, isReduced: false), (second, isReduced: false)])
    // The first entry of the first directory.
    file[8 + 2 + 8] = UInt8(flags)
    let header = try #require(try parse(file))
    #expect(header.size == (isSkipped ? second : first) && header.hasFurtherPages == !isSkipped)
  }

  /// Tag, type, value of an entry, and the header that it makes.
  @Test(arguments: [
    (274, 3, 6, "right 8 1 unsigned 1 false false"), (274, 3, 9, "up 8 1 unsigned 1 false false"),
    (258, 3, 0, "up 1 1 unsigned 1 false false"), (258, 3, 99, "up 64 1 unsigned 1 false false"),
    (259, 3, 6, "up 8 6 unsigned 1 false false"), (339, 3, 2, "up 8 1 signed 1 false false"),
    (339, 3, 3, "up 8 1 float 1 false false"), (339, 3, 4, "up 8 1 unsigned 1 false false"),
    (277, 4, 1 << 20, "up 8 1 unsigned 65536 false false"), (277, 1, 3, "up 8 1 unsigned 3 false false"),
    (338, 3, 0, "up 8 1 unsigned 1 false false"), (338, 3, 1, "up 8 1 unsigned 1 true false"),
    (338, 3, 2, "up 8 1 unsigned 1 true true"), (338, 3, 3, "up 8 1 unsigned 1 false false"),
    (338, 2, 2, "up 8 1 unsigned 1 false false"),
  ])
  func `an entry changes the header`(_ tag: Int, _ type: Int, _ value: Int, _ expected: String) throws {
    var file = pages([(PixelSize(width: 4, height: 3), isReduced: false)])
    // In place of the entry of that tag, or of the number of rows of a strip.
    let places = (0..<9).map { 8 + 2 + $0 * 12 }
    let tags = places.map { Int(file[$0]) | Int(file[$0 + 1]) << 8 }
    let place = places[try #require(tags.firstIndex(of: tag) ?? tags.firstIndex(of: 278))]
    file.replaceSubrange(place..<place + 12, with: entry(tag, type: type, count: 1, value: value))
    let header = try #require(try parse(file))
    #expect(
      "\(header.orientation) \(header.bitDepth) \(header.compression) \(header.sampleKind) \(header.samplesPerPixel) "
        + "\(header.hasAlpha) \(header.hasUnassociatedAlpha)" == expected)
  }

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

  /// A page of 80x60 pixels of level 50 with smaller versions, and another picture of level 200.
  private func pyramid(inSubdirectory: Bool) -> Data {
    let sizes = [(80, 60), (40, 30), (20, 15), (30, 30)].map { PixelSize(width: $0.0, height: $0.1) }
    var file = pages(sizes.map { ($0, isReduced: $0 != sizes[0]) }, levels: [50, 100, 150, 200])
    if inSubdirectory {
      // Instead of the kind of the page, where its version is, and no next page.
      file.replaceSubrange(10..<22, with: entry(330, type: 13, count: 1, value: 8 + 2 + 9 * 12 + 4))
      file.replaceSubrange(8 + 2 + 9 * 12..<8 + 2 + 9 * 12 + 4, with: [0, 0, 0, 0])
    }
    return file
  }

  @Test(
    arguments: [
      (TargetSize.original, nil, 50, 50), (.fit(width: 60, height: 60), nil, 50, 50),
      (.fit(width: 40, height: 40), nil, 100, 100), (.fit(width: 21, height: 21), nil, 100, 100),
      (.fit(width: 20, height: 20), nil, 150, 100), (.fit(width: 3, height: 3), nil, 150, 100),
      (.exact(width: 40, height: 16), nil, 100, 100), (.fill(width: 10, height: 10), nil, 150, 100),
      (.original, PixelArea(left: 16, top: 8, width: 32, height: 24), 50, 50),
      (.fit(width: 16, height: 16), PixelArea(left: 16, top: 8, width: 32, height: 24), 100, 100),
      (.fit(width: 8, height: 8), PixelArea(left: 48, top: 36, width: 32, height: 24), 150, 100),
    ] as [(TargetSize, PixelArea?, Int, Int)])
  func `the smallest version with enough pixels is read instead of the page`(
    _ size: TargetSize, _ region: PixelArea?, level: Int, inSubdirectory: Int
  ) throws {
    let options = DecodingOptions(size: size, region: region)
    for (isNested, level) in [(false, level), (true, inSubdirectory)] {
      let image = try TIFFDecoder().decode(pyramid(inSubdirectory: isNested), options: options)
      #expect(image.size == (try options.outputSize(for: PixelSize(width: 80, height: 60))))
      #expect(image.info.storedSize == PixelSize(width: 80, height: 60))
      let (last, row) = (image.size.width - 1, image.size.height / 2)
      for column in [0, last] { #expect(abs(image.bitmap.color(column, row).x - level) <= 1) }
    }
  }

  @Test func `a smaller version in which white is 0, or with signed samples, is not one of another page`() throws {
    var (inverted, signed) = (pyramid(inSubdirectory: false), pyramid(inSubdirectory: false))
    // The sixth entry of the second directory.
    let place = 8 + (2 + 9 * 12 + 4) + 2 + 5 * 12
    try #require(inverted[place] == 6 && inverted[place + 8] == 1)
    inverted[place + 8] = 0
    // The last two entries, of which the number of rows in its only strip is not needed.
    let counts = Data(signed[place + 3 * 12..<place + 4 * 12])
    try #require(counts.starts(with: [23, 1]))
    let format = entry(339, type: 3, count: 1, value: 2)
    signed.replaceSubrange(place + 2 * 12..<place + 4 * 12, with: counts + format)
    for (file, (side, level)) in [inverted, signed].flatMap({ file in [(40, 50), (20, 150)].map { (file, $0) } }) {
      let image = try TIFFDecoder().decode(file, options: DecodingOptions(size: .fit(width: side, height: side)))
      #expect(abs(image.bitmap.color(10, 5).x - level) <= 1)
    }
  }

  @Test func `a smaller version of the second page is not one of the first`() throws {
    let (page, copy) = (PixelSize(width: 80, height: 60), PixelSize(width: 40, height: 30))
    let file = pages(
      [(page, isReduced: false), (page, isReduced: false), (copy, isReduced: true)], levels: [50, 100, 150])
    let image = try TIFFDecoder().decode(file, options: DecodingOptions(size: .fit(width: 40, height: 40)))
    #expect(abs(image.bitmap.color(10, 5).x - 50) <= 1)
  }

  @Test func `of a file whose smaller version is cut, the page is read`() throws {
    let file = pyramid(inSubdirectory: false)
    let cut = file.prefix(file.count - 30 * 30 - 100)
    let image = try TIFFDecoder().decode(cut, options: DecodingOptions(size: .fit(width: 20, height: 20)))
    #expect(abs(image.bitmap.color(10, 5).x - 50) <= 1)
  }
  #endif

  @Test func `directories that refer to themselves are searched once`() throws {
    var file = pages([(PixelSize(width: 2, height: 1), isReduced: true)])
    file.replaceSubrange(8 + 2 + 9 * 12..<8 + 2 + 9 * 12 + 4, with: [8, 0, 0, 0])
    #expect(try parse(file)?.size == PixelSize(width: 2, height: 1))
  }

  /// Grey pages, whose directories come first.
  private func pages(_ pages: [(size: PixelSize, isReduced: Bool)], levels: [UInt8] = []) -> Data {
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
    for (index, page) in pages.enumerated() {
      file += Data(repeating: levels.isEmpty ? 0 : levels[index], count: page.size.pixelCount)
    }
    return file
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
