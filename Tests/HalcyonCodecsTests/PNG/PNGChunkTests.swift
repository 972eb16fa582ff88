import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Chunks that are malformed, in the wrong place, or not needed.
@Suite(.unitTest)
struct PNGChunkTests {
  @Test(arguments: ["jpeg/peacock.png", "pngsuite/basi2c08.png", "color/display-p3.png"])
  func `a wrong checksum of all image data loses nothing`(_ name: String) throws {
    var file = try Fixture.data(name)
    let chunk = try #require(file.range(of: Data("IDAT".utf8), options: .backwards)).lowerBound
    let length = file[chunk - 4..<chunk].reduce(0) { $0 << 8 | Int($1) }
    let whole = try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
    file[chunk + 4 + length - 1] ^= 0xFF
    let image = try PNGDecoder().decode(PNGChecksums.repaired(file), options: DecodingOptions())
    #expect(!image.isPartial && image.bitmap.largestDifference(to: whole) == 0)
  }

  /// Chunks of two frames, the bytes that are cut off, and whether a frame may be missing.
  @Test(arguments: [
    ("fcTL IDAT fcTL fdAT IEND", 0, false), ("fcTL IDAT fcTL fdAT", 0, false), ("fcTL IDAT fcTL", 0, true),
    ("fcTL IDAT", 0, true), ("fcTL IDAT fcTL fdAT fdAT", 1, true), ("fcTL IDAT fcTL fdAT IEND", 1, false),
  ])
  func `an animation lacks frames until the data of the last one has ended`(
    _ names: String, _ cutCount: Int, _ lacksFrames: Bool
  ) {
    var header = PNGHeader()
    header.frameCount = 2
    let chunks = names.split(separator: " ").map { PNGChunk.encoded(String($0), Data([1])) }
    let file = chunks.reduce(Data(count: 8), +).dropLast(cutCount)
    #expect(file.withUnsafeBytes { PNGTruncatedFile.lacksFrames($0, header) } == lacksFrames)
  }

  @Test func `a compressed text has a limit`() throws {
    // The image data of a grey PNG is a text of zeros.
    for (side, isRead) in [(1000, true), (2200, false)] {
      let blank = try Bitmap.painted(side, side) { _, _ in Color(0, 0, 0, 255) }
      let image = try PNGEncoder().encode(blank, options: EncodingOptions())
      var stream: [UInt8] = []
      var rest = image[...]
      while let chunk = rest.range(of: Data("IDAT".utf8)) {
        let length = rest[chunk.lowerBound - 4..<chunk.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        stream += rest[chunk.upperBound..<chunk.upperBound + length]
        rest = rest[(chunk.upperBound + length)...]
      }
      let packet = Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + stream
      let file = FileSurgery.png(try Fixture.data("jpeg/peacock.png"), inserting: "iTXt", packet)
      #expect(try (ImageMetadata(of: file).xmp != nil) == isRead)
    }
  }

  @Test func `a delay without a denominator is in hundredths of a second`() throws {
    for (denominator, expected) in [
      (UInt8(0), Duration.milliseconds(250)), (50, .milliseconds(500)), (100, .milliseconds(250)),
    ] {
      let content = Data(
        [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1] + Array(repeating: 0, count: 8) + [0, 25, 0, denominator, 1, 1])
      let control = try content.withUnsafeBytes { try APNGFrameControl(Bytes($0)) }
      #expect(control.duration == expected && control.disposal == .clear && control.isBlended)
    }
  }

  private static let palette: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]
  private static let opaque = [
    Color(255, 0, 0, 255), Color(0, 255, 0, 255), Color(0, 0, 255, 255), Color(9, 9, 9, 255),
  ]
  private static let clearRed = [Color(0, 0, 0, 0), opaque[1], opaque[2], opaque[3]]

  private static let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }

  /// A chunk, with its checksum or a wrong one.
  private static func chunk(_ type: String, _ content: [UInt8], isIntact: Bool = true) -> [UInt8] {
    let body = Array(type.utf8) + content
    let sum = FileSurgery.checksum(body) ^ (isIntact ? 0 : 1)
    return FileSurgery.bytes(content.count, count: 4) + body + FileSurgery.bytes(Int(sum), count: 4)
  }

  /// A file of four pixels with stored image data.
  private static func file(depth: UInt8 = 8, type: UInt8, row: [UInt8], _ chunks: [UInt8]...) -> Data {
    let header = FileSurgery.bytes(4, count: 4) + FileSurgery.bytes(1, count: 4) + [depth, type, 0, 0, 0]
    let data = [0] + row
    var sums = (low: 1, high: 0)
    for byte in data { sums = ((sums.low + Int(byte)) % 65_521, (sums.high + sums.low + Int(byte)) % 65_521) }
    let count = [UInt8(data.count), 0]
    var stored: [UInt8] = [0x78, 1, 1] + count + count.map { ~$0 } + data
    stored += FileSurgery.bytes(sums.high << 16 | sums.low, count: 4)
    return Data(Self.start + chunk("IHDR", header) + chunks.joined() + chunk("IDAT", stored) + chunk("IEND", []))
  }

  private func colors(_ file: Data) throws -> [Color] {
    let image = try PNGDecoder().decode(file, options: DecodingOptions())
    let colors = (0..<4).map { image.bitmap.color($0, 0) }
    #expect(image.info.hasAlpha == !image.bitmap.isOpaque)
    #expect(!image.bitmap.isOpaque || colors.allSatisfy { $0.w == 255 })
    return colors
  }

  private static let twoFrames = chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
  private static let control = chunk("fcTL", [UInt8](repeating: 0, count: 26))

  /// Chunks, and what the header says after them.
  private static let headers:
    [(
      type: UInt8, chunks: [UInt8], hasAlpha: Bool, orientation: Int?, frames: Int, hidesImage: Bool, essential: String
    )] =
      [
        (0, chunk("tRNS", [0, 1]), true, nil, 1, false, "IHDR tRNS"),
        (0, chunk("tRNS", [1]), false, nil, 1, false, "IHDR"),
        (0, chunk("tRNS", [0, 1, 2]), true, nil, 1, false, "IHDR tRNS"),
        (0, chunk("tRNS", []), false, nil, 1, false, "IHDR"),
        (0, chunk("tRNS", [0, 1], isIntact: false), false, nil, 1, false, "IHDR"),
        (0, joined(chunk("tRNS", [0, 1]), chunk("tRNS", [0, 2])), true, nil, 1, false, "IHDR tRNS"),
        (2, chunk("tRNS", [0, 1, 0, 1, 0, 1]), true, nil, 1, false, "IHDR tRNS"),
        (2, chunk("tRNS", [0, 1, 0, 1, 0]), false, nil, 1, false, "IHDR"),
        (2, chunk("PLTE", palette), false, nil, 1, false, "IHDR"),
        (3, joined(chunk("PLTE", palette), chunk("tRNS", [0])), true, nil, 1, false, "IHDR PLTE tRNS"),
        (3, joined(chunk("tRNS", [0]), chunk("PLTE", palette)), false, nil, 1, false, "IHDR PLTE"),
        (3, joined(chunk("PLTE", palette), chunk("tRNS", [])), false, nil, 1, false, "IHDR PLTE"),
        (3, joined(chunk("PLTE", []), chunk("tRNS", [0])), false, nil, 1, false, "IHDR PLTE"),
        (4, chunk("tRNS", [0, 1]), true, nil, 1, false, "IHDR"),
        (6, chunk("tRNS", [UInt8](repeating: 0, count: 99)), true, nil, 1, false, "IHDR"),
        (0, chunk("eXIf", FileSurgery.exif(orientation: 6)), false, 6, 1, false, "IHDR"),
        (0, chunk("eXIf", FileSurgery.exif(orientation: 6), isIntact: false), false, nil, 1, false, "IHDR"),
        (
          0, joined(chunk("eXIf", FileSurgery.exif(orientation: 3)), chunk("eXIf", FileSurgery.exif(orientation: 6))),
          false, 3, 1,
          false, "IHDR"
        ),
        (0, joined(twoFrames, control), false, nil, 2, false, "IHDR"),
        (0, joined(control, twoFrames), false, nil, 2, false, "IHDR"),
        (0, twoFrames, false, nil, 2, true, "IHDR"), (0, control, false, nil, 1, false, "IHDR"),
        (0, chunk("acTL", [0, 0, 0, 0, 0, 0, 0, 0]), false, nil, 1, false, "IHDR"),
        (0, chunk("acTL", [0x80, 0, 0, 0, 0, 0, 0, 0]), false, nil, 1, false, "IHDR"),
        (0, chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0], isIntact: false), false, nil, 1, false, "IHDR"),
        (0, joined(twoFrames, chunk("fcTL", [], isIntact: false)), false, nil, 2, true, "IHDR"),
        (0, joined(chunk("tEXt", [65, 0, 65]), chunk("ABCD", [1])), false, nil, 1, false, "IHDR ABCD"),
      ]

  @Test(arguments: headers.indices)
  func `the header follows from its chunks`(_ index: Int) throws {
    let row = Self.headers[index]
    let file = Self.file(type: row.type, row: [UInt8](repeating: 0, count: 16), row.chunks)
    let header = try #require(try file.withUnsafeBytes { try PNGHeaderParser.parse(Bytes($0)) })
    #expect(header.hasAlpha == row.hasAlpha)
    #expect(header.orientation?.rawValue == row.orientation)
    #expect(header.frameCount == row.frames)
    #expect(header.hidesDefaultImage == row.hidesImage)
    #expect(header.essentialChunks.map(\.name).joined(separator: " ") == row.essential)
    #expect(file[header.dataOffset + 4..<header.dataOffset + 8] == Data("IDAT".utf8))
  }

  @Test(
    arguments: [
      ([0x89, 0x50], nil), ([0x88], "its signature is wrong"),
      (joined(start, [0, 0, 0, 1, 0x49, 0x44, 0x41, 0x54]), "its first chunk is IDAT, not IHDR"),
      (joined(start, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0])), "its header is too short"),
      (joined(start, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 1, 0, 0, 0])), "its colour type is 1"),
      (joined(start, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0, 0, 0])), "its bit depth is 3"),
      (joined(start, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 16, 0, 0, 0, 0])), nil),
      (
        joined(start, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0]), chunk("IEND", [])), "it has no image data"
      ),
      (
        joined(start, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0]), [0x80, 0, 0, 0, 97, 98, 99, 100]),
        "a chunk has length 2147483648"
      ),
      (
        joined(
          start, chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0]), [0x7F, 0xFF, 0xFF, 0xFF, 97, 98, 99, 100]), nil
      ),
    ] as [([UInt8], String?)])
  func `a header ends early, or has an error`(_ file: [UInt8], _ reason: String?) throws {
    if let reason {
      #expect(throws: ImageDecodingError.corrupt(.png, reason: reason)) {
        try file.withUnsafeBytes { try PNGHeaderParser.parse(Bytes($0)) }
      }
    } else {
      #expect(try file.withUnsafeBytes { try PNGHeaderParser.parse(Bytes($0)) } == nil)
    }
  }

  @Test func `a palette that is longer than the bit depth allows is cut`() throws {
    let palette = Self.chunk("PLTE", Self.palette + [UInt8](repeating: 7, count: 3 * 30))
    #expect(try colors(Self.file(depth: 4, type: 3, row: [0x01, 0x23], palette)) == Self.opaque)
    #expect(try colors(Self.file(depth: 2, type: 3, row: [0x1B], palette)) == Self.opaque)
    // The transparency of a palette may be as long.
    let alphas = Self.chunk("tRNS", [0] + [UInt8](repeating: 255, count: 20))
    #expect(try colors(Self.file(depth: 2, type: 3, row: [0x1B], palette, alphas)) == Self.clearRed)
  }

  /// As in Chromium 156.
  @Test func `transparency is cut to what it applies to, and skipped where it applies to nothing`() throws {
    let palette = Self.chunk("PLTE", Self.palette)
    let row: [UInt8] = [0, 1, 2, 3]
    func indexed(_ chunks: [UInt8]...) throws -> [Color] {
      try colors(Self.file(type: 3, row: row, chunks.flatMap { $0 }))
    }
    let long = Self.chunk("tRNS", [0, 255, 255, 255, 0, 0, 0])
    #expect(try indexed(palette, long) == Self.clearRed)
    #expect(try indexed(palette, Self.chunk("tRNS", [0])) == Self.clearRed)
    #expect(try indexed(palette, Self.chunk("tRNS", [0], isIntact: false)) == Self.opaque)
    #expect(try indexed(palette, Self.chunk("tRNS", [])) == Self.opaque)
    #expect(try indexed(Self.chunk("tRNS", [0]), palette) == Self.opaque)
    #expect(try indexed(palette, Self.chunk("tRNS", [0]), Self.chunk("tRNS", [255, 0])) == Self.clearRed)
    let greys = row.map { Color(Int($0), Int($0), Int($0), 255) }
    let grey = Self.file(type: 0, row: row, Self.chunk("tRNS", [0, 1, 0, 3, 0, 0]))
    #expect(try colors(grey) == [greys[0], Color(0, 0, 0, 0), greys[2], greys[3]])
    #expect(try colors(Self.file(type: 0, row: row, Self.chunk("tRNS", [1]))) == greys)
    // Bits beyond the depth mean nothing.
    let long8 = Self.file(type: 0, row: row, Self.chunk("tRNS", [0xFF, 1]))
    #expect(try colors(long8) == [greys[0], Color(0, 0, 0, 0), greys[2], greys[3]])
    let long2 = Self.file(depth: 2, type: 0, row: [0x1B], Self.chunk("tRNS", [0, 0xFD]))
    #expect(try colors(long2)[..<3] == [greys[0], Color(0, 0, 0, 0), Color(170, 170, 170, 255)])
    let red = Self.file(
      type: 2, row: [255, 0, 0] + row[1...] + row + [9, 9], Self.chunk("tRNS", [1, 255, 1, 0, 1, 0]))
    #expect(try colors(red)[0] == Color(0, 0, 0, 0))
  }

  @Test func `a palette for grey pixels, and chunks that are unknown, are skipped`() throws {
    let row: [UInt8] = [0, 1, 2, 3]
    let greys = row.map { Color(Int($0), Int($0), Int($0), 255) }
    let others = Self.chunk("PLTE", Self.palette) + Self.chunk("zTXt", [1, 2, 3]) + Self.chunk("heLo", [9])
    #expect(try colors(Self.file(type: 0, row: row, others)) == greys)
    #expect(throws: ImageDecodingError.self) { try colors(Self.file(type: 0, row: row, Self.chunk("HELO", []))) }
  }

  @Test func `a palette with a wrong checksum is an error`() {
    let damaged = Self.chunk("PLTE", Self.palette, isIntact: false)
    #expect(throws: ImageDecodingError.self) { try colors(Self.file(type: 3, row: [0, 1, 2, 3], damaged)) }
  }

  @Test func `ancillary chunks with a wrong checksum are skipped`() throws {
    let bitmap = try PNGDecoder().decode(Fixture.data("cases/png-gama-wrong-crc.png"), options: DecodingOptions())
      .bitmap
    #expect(bitmap.color(0, 0) == Color(100, 150, 200, 255))
    let greys = [UInt8](repeating: 100, count: 4)
    func info(_ type: String, _ content: [UInt8], isIntact: Bool) throws -> ImageInfo? {
      let file = Self.file(type: 0, row: greys, Self.chunk(type, content, isIntact: isIntact))
      return try PNGDecoder().probe(file, isComplete: true)
    }
    for isIntact in [true, false] {
      #expect(
        try info("eXIf", FileSurgery.exif(orientation: 6), isIntact: isIntact)?.orientation == (isIntact ? .right : .up)
      )
      #expect(try info("iCCP", Array("x\0\0".utf8), isIntact: isIntact)?.hasColorProfile == isIntact)
      #expect(try info("acTL", [0, 0, 0, 7, 0, 0, 0, 0], isIntact: isIntact)?.frameCount == (isIntact ? 7 : 1))
      let text = Self.chunk("tEXt", Array("Author\0Ada".utf8), isIntact: isIntact)
      let metadata = try PNGDecoder().metadata(of: Self.file(type: 0, row: greys, text))
      #expect(metadata.artist == (isIntact ? "Ada" : nil))
    }
  }

  @Test func `of several texts of a kind the first counts, a packet that is damaged as well`() throws {
    func metadata(_ chunks: [UInt8]...) throws -> ImageMetadata {
      try PNGDecoder().metadata(of: Self.file(type: 0, row: [0, 0, 0, 0], chunks.flatMap(\.self)))
    }
    let names = ["Ada", "Bob"].map { Self.chunk("tEXt", Array("Author\0\($0)".utf8)) }
    #expect(try metadata(names[0], names[1]).artist == "Ada")
    let packet = Self.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0\(ExifSample.xmp)".utf8))
    let damaged = Self.chunk("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0damaged".utf8))
    #expect(try metadata(packet, damaged).xmp == Data(ExifSample.xmp.utf8))
    #expect(try metadata(damaged, packet).xmp == nil)
  }

  @Test func `Exif data in a raw profile is metadata, and does not turn the image`() throws {
    let file = try Fixture.data("cases/png-exif-in-raw-profile.png")
    let metadata = try PNGDecoder().metadata(of: file)
    #expect(metadata.exif != nil && metadata.info.orientation == .up)
    let exif = FileSurgery.exif(orientation: 8)
    let hexadecimal = exif.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    func exifData(_ text: String) throws -> Data? {
      let chunk = Self.chunk("tEXt", Array("Raw profile type APP1\0\nexif\n\(text)".utf8))
      return try PNGDecoder().metadata(of: Self.file(type: 0, row: [0, 0, 0, 0], chunk)).exif
    }
    let middle = hexadecimal.index(hexadecimal.startIndex, offsetBy: 10)
    let lines = "\(hexadecimal[..<middle])\n\(hexadecimal[middle...])\n"
    #expect(try exifData("      \(exif.count)\n\(lines)") == Data(exif))
    // A chunk of Exif data takes precedence, in either order.
    let raw = Self.chunk("tEXt", Array("Raw profile type APP1\0\nexif\n      \(exif.count)\n\(lines)".utf8))
    let own = Self.chunk("eXIf", FileSurgery.exif(orientation: 3))
    for chunks in [raw + own, own + raw] {
      let metadata = try PNGDecoder().metadata(of: Self.file(type: 0, row: [0, 0, 0, 0], chunks))
      #expect(metadata.exif == Data(FileSurgery.exif(orientation: 3)))
    }
    // Too short, without a length, or with one that is no number.
    for text in ["\(exif.count + 1)\n\(lines)", "", "-5\n\(lines)", "x\n\(lines)", "99999999999999999999\n\(lines)"] {
      #expect(try exifData(text) == nil)
    }
  }
}
