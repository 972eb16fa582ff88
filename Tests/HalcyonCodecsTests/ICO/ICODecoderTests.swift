import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ICODecoderTests {
  @Test(arguments: [48, 32, 16])
  func `the entry of the target size is decoded without resampling`(_ side: Int) throws {
    let file = try FormatFixture.data("sizes.ico")
    let image = try ICODecoder().decode(file, options: DecodingOptions(size: .fit(width: side, height: side)))
    #expect(image.size == PixelSize(width: side, height: side))
    #expect(image.info.storedSize == PixelSize(width: 48, height: 48))
    // A file with this entry alone decodes to the same pixels.
    var first = file.prefix(6)
    first[4] = 1
    let entry = try #require([16, 32, 48].firstIndex(of: side))
    first += file[6 + entry * 16..<22 + entry * 16] + file.dropFirst(22)
    let alone = try ICODecoder().decode(first, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: alone.bitmap) == 0)
  }

  /// Entries of a cursor have the place of its tip where those of an icon have their bits per pixel.
  @Test(arguments: [(1, 200), (2, 100)])
  func `of two entries of a size the one with more bits is decoded, of a cursor the first`(_ kind: UInt8, _ grey: Int)
    throws
  {
    let files = try [100, 200].map { grey in
      try PNGEncoder().encode(Bitmap.painted(8, 8) { _, _ in Color(grey, grey, grey, 255) }, options: EncodingOptions())
    }
    var file = Self.icon(files.map { (8, $0) })
    (file[2], file[12], file[28]) = (kind, 8, 32)
    #expect(
      try ICODecoder().decode(file, options: DecodingOptions()).bitmap.color(0, 0) == Color(grey, grey, grey, 255))
  }

  @Test func `a cursor is decoded as an icon`() throws {
    var file = try FormatFixture.data("sizes.ico")
    file[2] = 2
    #expect(ImageFormat(sniffing: file) == .ico)
    #expect(try ICODecoder().decode(file, options: DecodingOptions()).size == PixelSize(width: 48, height: 48))
  }

  /// An icon of PNG files.
  private static func icon(_ entries: [(side: Int, file: Data)]) -> Data {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> ($0 * 8) & 0xFF) } }
    var directory: [UInt8] = [0, 0, 1, 0] + bytes(entries.count, 2)
    var content: [UInt8] = []
    for (side, file) in entries {
      directory += [UInt8(side & 0xFF), UInt8(side & 0xFF), 0, 0, 1, 0, 32, 0] + bytes(file.count, 4)
      directory += bytes(6 + entries.count * 16 + content.count, 4)
      content += file
    }
    return Data(directory + content)
  }

  private static func png(_ side: Int) throws -> Data {
    try PNGEncoder().encode(Bitmap.gradient(side, side), options: EncodingOptions())
  }

  /// Damages the checksum of the header, or the compressed pixels.
  private static func damaged(_ png: Data, at type: String, offset: Int) throws -> Data {
    var png = png
    png[try #require(png.firstRange(of: Data(type.utf8))).upperBound + offset] ^= 0x5A
    return png
  }

  @Test(arguments: [("IHDR", 9), ("IDAT", 6)])
  func `a damaged entry is passed over if another is sound`(_ type: String, _ offset: Int) throws {
    let sound = [(16, try Self.png(16)), (32, try Self.png(32)), (48, try Self.png(48))]
    var entries = sound
    entries[2].1 = try Self.damaged(sound[2].1, at: type, offset: offset)
    let sizes = [(TargetSize.original, 32), (.fit(width: 48, height: 48), 32), (.fit(width: 16, height: 16), 16)]
    for (size, expected) in sizes {
      let image = try ICODecoder().decode(Self.icon(entries), options: DecodingOptions(size: size))
      #expect(image.size == PixelSize(width: expected, height: expected))
      #expect(try image.bitmap.largestDifference(to: .gradient(expected, expected)) == 0)
    }
    // The entry that fits the target size is damaged.
    entries = sound
    entries[0].1 = try Self.damaged(sound[0].1, at: type, offset: offset)
    let options = DecodingOptions(size: .fit(width: 16, height: 16))
    let image = try ICODecoder().decode(Self.icon(entries), options: options)
    #expect(image.size == PixelSize(width: 16, height: 16))
    #expect(image.info.storedSize == PixelSize(width: 48, height: 48))
    // If all entries are damaged, the error of the largest one is thrown.
    entries = try sound.map { ($0.0, try Self.damaged($0.1, at: type, offset: offset)) }
    #expect {
      try ICODecoder().decode(Self.icon(entries), options: DecodingOptions())
    } throws: { error in
      if case .corrupt(.ico, _)? = error as? ImageDecodingError { true } else { false }
    }
  }

  @Test func `the mask of an icon of 32 bits applies if all of its alpha is zero`() throws {
    // A pixel that the mask hides, and one that it shows, from bottom to top.
    func icon(alpha: UInt8, mask: [UInt8] = [0x80, 0, 0, 0], rowCount: Int = 1) -> Data {
      let (rows, height) = (UInt8(rowCount), UInt8(2 * rowCount))
      let header: [UInt8] = [40, 0, 0, 0, 2, 0, 0, 0, height, 0, 0, 0, 1, 0, 32, 0] + [UInt8](repeating: 0, count: 24)
      let row: [UInt8] = [0, 0, 255, 0, 255, 0, 0, alpha]
      let image = header + Array(repeating: row, count: rowCount).joined() + mask
      let directory: [UInt8] = [0, 0, 1, 0, 1, 0, 2, rows, 0, 0, 1, 0, 32, 0, UInt8(image.count), 0, 0, 0, 22, 0, 0, 0]
      return Data(directory + image)
    }
    for (alpha, expected) in [(0, [0, 255]), (128, [0, 128]), (255, [0, 255])] as [(UInt8, [Int])] {
      let bitmap = try ICODecoder().decode(icon(alpha: alpha), options: DecodingOptions()).bitmap
      #expect([bitmap.color(0, 0).w, bitmap.color(1, 0).w] == expected)
    }
    // A row of the mask has four bytes.
    let mask: [UInt8] = [0x80, 0, 0, 0, 0x40, 0, 0, 0]
    let two = try ICODecoder().decode(icon(alpha: 0, mask: mask, rowCount: 2), options: DecodingOptions()).bitmap
    #expect((0..<4).map { two.color($0 % 2, $0 / 2).w } == [255, 0, 0, 255])
    // Without its mask all of it is shown.
    let bare = try ICODecoder().decode(icon(alpha: 0, mask: []), options: DecodingOptions()).bitmap
    #expect(bare.color(0, 0).w == 255)
    #expect(bare.color(1, 0).w == 255)
  }

  @Test func `a side of 0 in the directory is one of 256`() throws {
    let file = Self.icon([(256, try Self.png(256)), (48, try Self.png(48))])
    let image = try ICODecoder().decode(file, options: DecodingOptions())
    #expect(image.size == PixelSize(width: 256, height: 256))
  }

  @Test func `the size of an entry is that of its picture, whatever the directory says`() throws {
    let file = Self.icon([(16, try Self.png(8)), (48, try Self.png(48))])
    let image = try ICODecoder().decode(file, options: DecodingOptions(size: .fit(width: 16, height: 16)))
    #expect(image.size == PixelSize(width: 16, height: 16))
  }

  @Test func `of an icon with an entry in run lengths, which icons do not have, another one is decoded`() throws {
    // Two rows of two indices into one colour, and their mask: as many bytes as without run lengths.
    var entry: [UInt8] = [40, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 8, 0, 1, 0, 0, 0] + Array(repeating: 0, count: 40)
    entry[32] = 1
    let feature = "run-length encoding"
    #expect(throws: ImageDecodingError.unsupportedFeature(.ico, feature: feature)) {
      try ICODecoder().decode(Self.icon([(48, Data(entry))]), options: DecodingOptions())
    }
    let file = Self.icon([(48, Data(entry)), (16, try Self.png(16))])
    #expect(try ICODecoder().decode(file, options: DecodingOptions()).size == PixelSize(width: 16, height: 16))
  }

  @Test func `a whole smaller entry is better than a part of the largest`() throws {
    let entries = [(16, try Self.png(16)), (48, try Self.png(48))]
    let cut = Self.icon(entries).dropLast(entries[1].1.count / 2)
    let image = try ICODecoder().decode(cut, options: DecodingOptions(allowsPartialImage: true))
    #expect(image.size == PixelSize(width: 16, height: 16))
    #expect(!image.isPartial)
  }

  @Test func `an entry that is an animation or turned is one upright image`() throws {
    let turned = FileSurgery.png(try Self.png(16), inserting: "eXIf", FileSurgery.exif(orientation: 6))
    let file = FileSurgery.png(turned, inserting: "acTL", [0, 0, 0, 2, 0, 0, 0, 0])
    let image = try ICODecoder().decode(Self.icon([(16, file)]), options: DecodingOptions())
    #expect(image.info.orientation == .up)
    #expect(image.info.frameCount == 1)
  }

  @Test func `the pixels of a turned entry are as they are stored, at any size and in any part`() throws {
    let stored = try Bitmap.gradient(10, 200)
    let png = try PNGEncoder().encode(stored, options: EncodingOptions())
    let icon = Self.icon([(16, FileSurgery.png(png, inserting: "eXIf", FileSurgery.exif(orientation: 6)))])
    #expect(try ICODecoder().decode(icon, options: DecodingOptions()).bitmap.largestDifference(to: stored) == 0)
    let half = try ICODecoder().decode(icon, options: DecodingOptions(size: .fit(width: 5, height: 100)))
    #expect(half.size == PixelSize(width: 5, height: 100))
    let area = PixelArea(left: 2, top: 150, size: PixelSize(width: 5, height: 20))
    let part = try ICODecoder().decode(icon, options: DecodingOptions(region: area)).bitmap
    #expect(part.color(0, 0) == stored.color(2, 150))
    #expect(part.color(4, 19) == stored.color(6, 169))
  }

  @Test(arguments: [TargetColorSpace.sRGB, .displayP3, .source])
  func `an entry with a profile has the colours of its PNG file`(_ space: TargetColorSpace) throws {
    let png = try Fixture.data("color/display-p3.png")
    let options = DecodingOptions(colorSpace: space)
    let bitmap = try ICODecoder().decode(Self.icon([(16, png)]), options: options).bitmap
    let expected = try PNGDecoder().decode(png, options: options).bitmap
    #expect(bitmap.colorSpace == expected.colorSpace)
    #expect(bitmap.largestDifference(to: expected) == 0)
    let small = DecodingOptions(size: .fit(width: 20, height: 20), colorSpace: space)
    #expect(try ICODecoder().decode(Self.icon([(16, png)]), options: small).bitmap.colorSpace == expected.colorSpace)
  }

  @Test func `the next entry counts if the headers of the largest are damaged, not while they are missing`() throws {
    let entries = [(16, try Self.png(16)), (48, try Self.damaged(Self.png(48), at: "IHDR", offset: 9))]
    let file = Self.icon(entries)
    #expect(try ICODecoder().probe(file, isComplete: true)?.storedSize == PixelSize(width: 16, height: 16))
    let sound = Self.icon([(16, try Self.png(16)), (48, try Self.png(48))])
    let prefix = sound.prefix(38 + entries[0].1.count + 20)
    #expect(try ICODecoder().probe(prefix, isComplete: false) == nil)
  }
}
