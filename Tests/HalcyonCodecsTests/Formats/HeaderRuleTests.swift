import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Headers that are written here, field by field.
@Suite(.unitTest)
struct HeaderRuleTests {
  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    FileSurgery.bytes(value, count: count).reversed()
  }

  /// The beginning of a bitmap, with as many bytes as the header says and those of some masks behind it.
  private static func bitmap(
    _ byteCount: Int, _ width: Int = 7, _ height: Int = 5, bits: Int = 24, compression: Int = 0, colors: Int = 0,
    masks: [Int] = [], profile: Int = 0, offset: Int = 0
  ) -> [UInt8] {
    var information = little(byteCount, 4)
    if byteCount == 12 {
      information += little(width, 2) + little(height, 2) + little(1, 2) + little(bits, 2)
    } else {
      information += little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2)
      information += little(compression, 4) + [UInt8](repeating: 0, count: 12) + little(colors, 4) + little(0, 4)
      information = Array(information.prefix(byteCount)) + masks.flatMap { little($0, 4) }
      information += [UInt8](repeating: 0, count: max(0, byteCount - information.count))
      if profile != 0 { information.replaceSubrange(56..<60, with: little(profile, 4)) }
    }
    return Array("BM".utf8) + [UInt8](repeating: 0, count: 8) + little(offset, 4) + information
  }

  /// Width and height, bits, masks, the offset, the number and the bytes of the colours of a palette, the offset of the pixels,
  /// and flags; an error; or `nil` for a part of a header.
  private static let bitmaps: [([UInt8], String?)] = [
    (bitmap(40), "7x5 24 [ff0000, ff00, ff] 54+0x4 54"), (bitmap(12), "7x5 24 [ff0000, ff00, ff] 26+0x3 26"),
    (bitmap(16), "7x5 24 [ff0000, ff00, ff] 30+0x4 30"), (bitmap(40, 7, -5), "7x5 24 [ff0000, ff00, ff] 54+0x4 54 top"),
    (bitmap(40, offset: 60), "7x5 24 [ff0000, ff00, ff] 54+0x4 60"),
    (bitmap(40, offset: 25), "7x5 24 [ff0000, ff00, ff] 54+0x4 54"),
    (bitmap(40, offset: 26), "7x5 24 [ff0000, ff00, ff] 54+0x4 26"),
    (bitmap(40, bits: 24, colors: 3), "7x5 24 [ff0000, ff00, ff] 54+0x4 66"),
    (bitmap(40, bits: 8), "7x5 8 [] 54+256x4 1078"), (bitmap(40, bits: 8, colors: 10), "7x5 8 [] 54+10x4 94"),
    (bitmap(40, bits: 4), "7x5 4 [] 54+16x4 118"), (bitmap(40, bits: 1, colors: 5), "7x5 1 [] 54+2x4 74"),
    (bitmap(12, bits: 8), "7x5 8 [] 26+256x3 794"), (bitmap(40, bits: 2), "7x5 2 [] 54+4x4 70"),
    (bitmap(40, bits: 16), "7x5 16 [7c00, 3e0, 1f] 54+0x4 54"),
    (bitmap(40, bits: 32), "7x5 32 [ff0000, ff00, ff] 54+0x4 54"),
    (bitmap(40, bits: 16, compression: 3, masks: [1, 2, 4]), "7x5 16 [1, 2, 4] 66+0x4 66 empty"),
    (bitmap(40, bits: 16, compression: 3, masks: [1, 2]), nil),
    (bitmap(52, bits: 32, compression: 3, masks: [1, 2, 4, 8]), "7x5 32 [1, 2, 4] 66+0x4 66 empty"),
    (bitmap(56, bits: 32, compression: 3, masks: [1, 2, 4, 8]), "7x5 32 [1, 2, 4, 8] 70+0x4 70 alpha"),
    (bitmap(56, bits: 32, compression: 3, masks: [1, 2, 4, 0]), "7x5 32 [1, 2, 4, 0] 70+0x4 70"),
    (bitmap(40, bits: 32, compression: 6, masks: [1, 2, 4, 8]), "7x5 32 [1, 2, 4, 8] 70+0x4 70 alpha empty"),
    (bitmap(40, bits: 32, compression: 6, masks: [1, 2, 4]), nil),
    (bitmap(108, bits: 32, masks: [0, 0, 0, 1]), "7x5 32 [ff0000, ff00, ff, ff000000] 122+0x4 122 alpha"),
    (bitmap(108, bits: 24, masks: [0, 0, 0, 1]), "7x5 24 [ff0000, ff00, ff] 122+0x4 122"),
    (bitmap(56, bits: 32, masks: [0, 0, 0, 1]), "7x5 32 [ff0000, ff00, ff] 70+0x4 70"),
    (bitmap(108, profile: 0x4D42_4544), "7x5 24 [ff0000, ff00, ff] 122+0x4 122 profile"),
    (bitmap(124, profile: 0x4C49_4E4B), "7x5 24 [ff0000, ff00, ff] 138+0x4 138 profile"),
    (bitmap(124, profile: 0x7352_4742), "7x5 24 [ff0000, ff00, ff] 138+0x4 138"),
    (bitmap(40, bits: 8, compression: 1), "7x5 8 [] 54+256x4 1078"),
    (bitmap(40, bits: 4, compression: 2), "7x5 4 [] 54+16x4 118"),
    (bitmap(40, bits: 4, compression: 1), "it has 4 bits per pixel with compression rle8"),
    (bitmap(40, bits: 8, compression: 2), "it has 8 bits per pixel with compression rle4"),
    (bitmap(40, bits: 24, compression: 3, masks: [1, 2, 4]), "it has 24 bits per pixel with compression bitFields"),
    (bitmap(40, bits: 3), "it has 3 bits per pixel with compression none"),
    (bitmap(40, 0, 5), "its size is 0x5 pixels"),
    (bitmap(40, 7, 0), "its size is 7x0 pixels"), (bitmap(40, -7, 5), "its size is -7x5 pixels"),
    (bitmap(15), "its header has 15 bytes"), (bitmap(1025), "its header has 1025 bytes"),
    (bitmap(1024), "7x5 24 [ff0000, ff00, ff] 1038+0x4 1038"), (Array(bitmap(40).dropLast()), nil),
    (Array("B".utf8), nil),
    (Array("BA".utf8), "its signature is wrong"),
  ]

  @Test(arguments: bitmaps.indices)
  func `the header of a bitmap follows from its fields`(_ index: Int) throws {
    let (bytes, expected) = Self.bitmaps[index]
    var found: String?
    do {
      found = try bytes.withUnsafeBytes { try BMPHeaderParser.parse(file: Bytes($0)) }.map { header in
        let (masks, palette) = (header.masks.map { String($0, radix: 16) }.joined(separator: ", "), header.palette)
        let flags = [
          (header.isTopDown, " top"), (header.hasAlpha, " alpha"), (header.ignoresEmptyAlpha, " empty"),
          (header.hasColorProfile, " profile"),
        ]
        return
          "\(header.size) \(header.bitCount) [\(masks)] \(palette.offset)+\(palette.count)x\(palette.bytesPerColor) "
          + "\(header.pixelOffset)" + flags.map { $0 ? $1 : "" }.joined()
      }
    } catch ImageDecodingError.corrupt(.bmp, let reason) {
      found = reason
    }
    #expect(found == expected)
  }

  @Test(arguments: [4, 5, 7]) func `other compressions of bitmaps are not decoded`(_ code: Int) throws {
    #expect(throws: ImageDecodingError.unsupportedFeature(.bmp, feature: "compression \(code)")) {
      try Self.bitmap(40, compression: code).withUnsafeBytes { try BMPHeaderParser.parse(file: Bytes($0)) }
    }
  }

  /// The bytes of rows of bitmaps, with padding and without.
  private static let profile: [UInt8] = Array("prof".utf8) + [1, 2]

  private static func colors(_ bytes: [UInt8]) -> [UInt8] { Array("nclx".utf8) + bytes }

  private static func zeros(_ count: Int, then bytes: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: count) + bytes
  }

  /// Properties of an image, and its orientation, bit depth, colours, and peaks of light.
  private static let properties: [([(String, [UInt8])], String)] = [
    ([], "up 8"), ([("irot", [0])], "up 8"), ([("irot", [1])], "left 8"), ([("irot", [2])], "down 8"),
    ([("irot", [3])], "right 8"), ([("irot", [0xFD])], "left 8"), ([("imir", [0])], "downMirrored 8"),
    ([("imir", [1])], "upMirrored 8"), ([("imir", [2])], "downMirrored 8"),
    ([("irot", [2]), ("imir", [1])], "downMirrored 8"), ([("av1C", [0x81, 0, 0])], "up 8"),
    ([("av1C", [0x81, 0, 0x40])], "up 10"), ([("av1C", [0x81, 0, 0x60])], "up 12"),
    ([("av1C", [0x81, 0, 0x20])], "up 8"),
    ([("av1C", [0x81, 0, 0x50])], "up 10 grey"), ([("av1C", [0x81, 0])], "up 8"),
    ([("hvcC", zeros(16, then: [0xFC, 0xFA]))], "up 10 grey"), ([("hvcC", zeros(16, then: [0xFD, 0xF8]))], "up 8"),
    ([("hvcC", zeros(17, then: []))], "up 8"), ([("pixi", [0, 0, 0, 0, 1, 12])], "up 12"),
    ([("pixi", [0, 0, 0, 0, 1])], "up 8"), ([("colr", colors([0, 9, 0, 16, 0, 1, 0x80]))], "up 8 9/16/1 full"),
    ([("colr", colors([0, 1, 0, 13, 0, 6, 0x7F]))], "up 8 1/13/6"), ([("colr", colors([0, 1, 0, 13, 0, 6]))], "up 8"),
    ([("colr", profile)], "up 8 profile 2"), ([("colr", Array("rICC".utf8))], "up 8 profile 0"),
    ([("colr", Array("what!".utf8))], "up 8"), ([("clli", [4, 0, 1, 0])], "up 8 content 1024.0"),
    ([("mdcv", zeros(16, then: [0, 0x98, 0x96, 0x80]))], "up 8 mastering 1000.0"),
  ]

  @Test(arguments: properties.indices)
  func `properties change the header of an image`(_ index: Int) {
    let (properties, expected) = Self.properties[index]
    let size = PixelSize(width: 8, height: 8)
    var header = HEIFImageHeader(codedSize: size, aperture: CleanAperture(whole: size))
    for (type, content) in properties {
      Self.box(type, content).withUnsafeBytes { bytes in
        if let box = Box(Bytes(bytes), at: 0) { header.apply(box) }
      }
    }
    var text = "\(header.orientation) \(header.bitDepth)\(header.isGrey ? " grey" : "")"
    if let color = header.color {
      text += " \(color.primaries)/\(color.transfer)/\(color.matrix)\(color.isFullRange ? " full" : "")"
    }
    if let profile = header.colorProfile { text += " profile \(profile.count)" }
    if let peak = header.light.contentPeak { text += " content \(peak)" }
    if let peak = header.light.masteringPeak { text += " mastering \(peak)" }
    #expect(text == expected)
  }

  /// A track of images with a duration, the table of its samples, and an edit list.
  private static func movie(
    duration: Int = 300, sizes: [Int] = [10, 20, 30], sharedSize: Int = 0, runs: [(Int, Int)] = [(1, 3)],
    chunks: [Int] = [100], isLong: Bool = false, edits: [UInt8] = []
  ) -> [UInt8] {
    let header = numbers(0, 0, 0, 1, 0, duration) + zeros(52, then: numbers(40 << 16, 30 << 16))
    let stored = sharedSize == 0 ? sizes.flatMap { numbers($0) } : []
    let offsets = chunks.flatMap { isLong ? numbers(0, $0) : numbers($0) }
    var table = box("stsz", numbers(0, sharedSize, sizes.count) + stored)
    table += box("stsc", numbers(0, runs.count) + runs.flatMap { numbers($0.0, $0.1, 1) })
    table += box(isLong ? "co64" : "stco", numbers(0, chunks.count) + offsets)
    let handler = box("hdlr", numbers(0, 0) + Array("pict".utf8))
    var track = box("tkhd", header) + box("mdia", handler + box("minf", box("stbl", table)))
    if !edits.isEmpty { track += box("edts", box("elst", edits)) }
    return box("trak", track)
  }

  /// Movies, and where the last sample ends.
  private static let ends: [([UInt8], Int)] = [
    (movie(), 160), (movie(runs: [(1, 1)], chunks: [100, 200, 300]), 330),
    (movie(runs: [(1, 2), (2, 1)], chunks: [100, 50]), 130), (movie(runs: [(1, 1), (2, 2)], chunks: [50, 100]), 150),
    (movie(runs: [(1, 99)]), 160), (movie(isLong: true), 160), (movie(runs: [(1, 1)], chunks: [300, 200]), 310),
    (movie(sizes: [0, 0, 0, 0, 0], sharedSize: 7, runs: [(1, 2), (3, 1)], chunks: [10, 20, 100]), 107),
    (movie(sizes: [0, 0, 0, 0, 0], sharedSize: 7, runs: [(1, 2), (3, 1)], chunks: [10, 200, 100]), 214),
  ]

  @Test(arguments: ends.indices) func `a track ends with its last sample`(_ index: Int) throws {
    let (movie, end) = Self.ends[index]
    try movie.withUnsafeBytes { bytes in
      let sequence = try #require(HEIFImageSequence(Bytes(bytes)))
      #expect(sequence.dataEnd == end)
      #expect(sequence.size == PixelSize(width: 40, height: 30) && sequence.loopCount == nil)
    }
  }

  /// The flags of an edit list and the duration of its edit, that of the track, and how often it plays.
  @Test(
    arguments: [
      (1, 100, 300, 3), (1, 100, 250, 3), (1, 100, 50, 1), (1, 100, 100, 1), (0, 100, 300, 1), (2, 100, 300, 1),
      (3, 100, 300, 3), (1, 0, 300, nil), (1, 100, 0xFFFF_FFFF, nil), (1, 0xFFFF_FFFF, 300, nil),
    ] as [(Int, Int, Int, Int?)])
  func `an edit list repeats a track until its duration is over`(
    _ flags: Int, _ segment: Int, _ duration: Int, _ expected: Int?
  ) throws {
    let movie = Self.movie(duration: duration, edits: Self.numbers(flags, 1, segment, 0, 1 << 16))
    try movie.withUnsafeBytes { bytes in
      let sequence = try #require(HEIFImageSequence(Bytes(bytes)))
      #expect(sequence.loopCount == expected && sequence.frameCount == 3)
    }
  }

  private static func screen(_ width: Int, _ height: Int, flags: UInt8 = 0, palette: Int = 0) -> [UInt8] {
    Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [flags] + zeros(2 + palette, then: [])
  }

  private static func frame(_ left: Int = 0, _ width: Int = 9, flags: UInt8 = 0, palette: Int = 0) -> [UInt8] {
    let place = little(left, 2) + little(0, 2) + little(width, 2) + little(8, 2)
    return [0x2C] + place + [flags] + zeros(palette, then: [2, 2, 0x44, 1, 0])
  }

  private static func control(_ flags: UInt8, delay: Int = 0, color: UInt8 = 7, count: UInt8 = 4) -> [UInt8] {
    [0x21, 0xF9, count, flags] + little(delay, 2) + [color] + zeros(Int(count) - 4, then: [0])
  }

  private static func loop(_ repetitions: Int, _ name: String = "NETSCAPE2.0", kind: UInt8 = 1) -> [UInt8] {
    [0x21, 0xFF, 11] + Array(name.utf8) + [3, kind] + little(repetitions, 2) + [0]
  }

  private static let comment: [UInt8] = [0x21, 0xFE, 1, 65, 0]

  /// Blocks of files, and their canvas, number of frames, loops, the flags of the first frame, and what they lack; errors; or
  /// `nil` for beginnings.
  private static let files: [([[UInt8]], String?)] = [
    ([screen(9, 8), frame(), [0x3B]], "9x8 1 1 keep 0"), ([screen(9, 8), frame()], "9x8 1 1 keep 0"),
    ([screen(9, 8), frame(), [0]], "9x8 1 1 keep 0"), ([screen(5, 5), frame(3)], "12x8 1 1 alpha keep 0"),
    ([screen(10, 8), frame()], "10x8 1 1 alpha keep 0"),
    ([screen(9, 8, flags: 0x81, palette: 12), frame()], "9x8 1 1 keep 0 25"),
    ([screen(9, 8, flags: 0x80, palette: 6), frame(flags: 0xC0, palette: 6)], "9x8 1 1 keep 0 interlaced 19 35"),
    ([screen(9, 8), control(0, delay: 500), frame()], "9x8 1 1 keep 500"),
    ([screen(9, 8), control(1), frame()], "9x8 1 1 alpha keep 0 clear 7"),
    ([screen(9, 8), control(4), frame()], "9x8 1 1 keep 0"), ([screen(9, 8), control(8), frame()], "9x8 1 1 clear 0"),
    ([screen(9, 8), control(12), frame()], "9x8 1 1 restore 0"),
    ([screen(9, 8), control(16), frame()], "9x8 1 1 restore 0"),
    ([screen(9, 8), control(20), frame()], "9x8 1 1 keep 0"),
    ([screen(9, 8), control(9, count: 5), frame()], "9x8 1 1 keep 0"),
    ([screen(9, 8), control(1), control(0, delay: 3), frame()], "9x8 1 1 keep 3"),
    ([screen(9, 8), frame(), control(1), frame()], "9x8 2 1 keep 0"),
    ([screen(9, 8), frame(), control(8), frame()], "9x8 2 1 alpha keep 0"),
    ([screen(9, 8), control(12), frame(), frame()], "9x8 2 1 alpha restore 0"),
    ([screen(9, 8), loop(0), frame()], "9x8 1 endless keep 0"), ([screen(9, 8), loop(4), frame()], "9x8 1 5 keep 0"),
    ([screen(9, 8), frame(), loop(4)], "9x8 1 5 keep 0"),
    ([screen(9, 8), loop(4, "ANIMEXTS1.0"), frame()], "9x8 1 5 keep 0"),
    ([screen(9, 8), loop(4, "NETSCAPE2.1"), frame()], "9x8 1 1 keep 0"),
    ([screen(9, 8), loop(4, kind: 2), frame()], "9x8 1 1 keep 0"),
    ([screen(9, 8), comment, frame(), comment], "9x8 1 1 keep 0"),
    ([screen(9, 8), frame(), Array(comment.dropLast())], "9x8 1 1 keep 0"),
    ([screen(9, 8), frame(), [0x21]], "9x8 1 1 keep 0 cut"),
    ([screen(9, 8), frame(), [0x21, 0xF9, 4]], "9x8 1 1 keep 0 cut"),
    ([screen(9, 8), Array(frame().dropLast())], "9x8 1 1 keep 0 cut data"),
    ([screen(9, 8), frame(), [0x2C, 0]], "9x8 1 1 keep 0 cut"), ([screen(9, 8), [0x2C, 0]], "truncated"),
    ([Array(screen(9, 8).prefix(10))], "truncated"), ([screen(9, 8), [0x3B]], "it has no image"),
    ([screen(9, 8)], "it has no image"),
    ([Array("GIF9".utf8)], "its signature is wrong"), ([Array("GI".utf8)], "truncated"),
  ]

  @Test(arguments: files.indices)
  func `the header of a GIF file follows from its blocks`(_ index: Int) throws {
    let (blocks, expected) = Self.files[index]
    var found: String?
    do {
      found = try blocks.flatMap(\.self).withUnsafeBytes { try GIFHeader.parse(Bytes($0), isComplete: true) }.map {
        header in
        let first = header.firstFrame
        var text = "\(header.canvas) \(header.frameCount) \(header.loopCount.map { "\($0)" } ?? "endless")"
        text +=
          "\(header.hasAlpha ? " alpha" : "") \(first.disposal) \(first.hundredths)\(first.isInterlaced ? " interlaced" : "")"
        if let color = first.transparentIndex { text += " clear \(color)" }
        for palette in [header.palette, first.palette] { if let palette { text += " \(palette.upperBound)" } }
        return text + (header.isCut ? " cut" : "") + (header.cutFrame != nil ? " data" : "")
      }
    } catch ImageDecodingError.corrupt(.gif, let reason) {
      found = reason
    } catch ImageDecodingError.truncated(.gif) {
      found = "truncated"
    }
    #expect(found == expected)
  }

  @Test(arguments: [
    (1, 1, 4, 1), (33, 1, 8, 5), (3, 4, 4, 2), (5, 8, 8, 5), (1, 16, 4, 2), (3, 24, 12, 9), (2, 32, 8, 8),
  ])
  func `rows of bitmaps are padded to four bytes`(_ width: Int, _ bits: Int, _ padded: Int, _ used: Int) {
    var header = BMPHeader()
    (header.size.width, header.bitCount) = (width, bits)
    #expect(header.bytesPerRow == padded && header.usedBytesPerRow == used)
  }

  /// A colour of a mask, and the byte that is nearest to it.
  @Test(
    arguments: [
      (0x1F, 0x1F, 255), (0x1F, 0x10, 132), (0x3E0, 0x200, 132), (0xFF, 0x80, 128), (0x1, 1, 255), (0x3, 1, 85),
      (0xFFF, 0x800, 128), (0xFFFF_FFFF, 0x8000_0000, 128), (0, 0xFF, 0),
    ] as [(UInt32, UInt32, UInt8)])
  func `the bits of a channel become a byte`(_ mask: UInt32, _ pixel: UInt32, _ expected: UInt8) {
    var header = BMPHeader()
    (header.bitCount, header.masks) = (32, [mask, mask, mask])
    var row = [UInt8](repeating: 9, count: 4)
    Self.little(Int(pixel), 4).withUnsafeBytes { stored in
      BMPColors(Bytes(stored), header: header).unpack(stored, bitCount: 32, count: 1, into: &row)
    }
    #expect(row == [expected, expected, expected, 255])
  }

  /// The width, height and offsets of a clean aperture as fractions, and the part of an image of 100 by 60 pixels.
  @Test(
    arguments: [
      ([100, 1, 60, 1, 0, 1, 0, 1], [0, 0, 100, 60]), ([40, 1, 20, 1, 0, 1, 0, 1], [30, 20, 40, 20]),
      ([80, 2, 60, 3, 0, 1, 0, 1], [30, 20, 40, 20]), ([40, 1, 20, 1, 30, 1, -20, 1], [60, 0, 40, 20]),
      ([40, 1, 20, 1, 31, 1, 0, 1], nil), ([40, 1, 20, 1, -31, 1, 0, 1], nil), ([40, 1, 20, 1, 0, 1, 21, 1], nil),
      ([41, 1, 21, 1, 1, 2, 1, 2], [30, 20, 41, 21]), ([41, 1, 21, 1, 0, 1, 0, 1], [29, 19, 41, 21]),
      ([101, 1, 60, 1, 0, 1, 0, 1], nil), ([100, 1, 61, 1, 0, 1, 0, 1], nil), ([0, 1, 60, 1, 0, 1, 0, 1], nil),
      ([100, 1, 0, 1, 0, 1, 0, 1], nil), ([41, 2, 20, 1, 0, 1, 0, 1], nil), ([40, 1, 21, 2, 0, 1, 0, 1], nil),
      ([40, 0, 20, 1, 0, 1, 0, 1], nil), ([40, 1, 20, 0, 0, 1, 0, 1], nil), ([40, 1, 20, 1, 0, 0, 0, 1], nil),
      ([40, 1, 20, 1, 0, 1, 0, 0], nil), ([40, 1, 20, 1, 0, 1, 0], nil),
    ] as [([Int], [Int]?)])
  func `a clean aperture is whole pixels inside the image`(_ numbers: [Int], _ expected: [Int]?) {
    let box = numbers.flatMap { FileSurgery.bytes($0, count: 4) }
    let aperture = box.withUnsafeBytes { CleanAperture(Bytes($0), inside: PixelSize(width: 100, height: 60)) }
    #expect(aperture.map { [$0.x, $0.y, $0.size.width, $0.size.height] } == expected)
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    FileSurgery.bytes(content.count + 8, count: 4) + Array(type.utf8) + content
  }

  private static func numbers(_ values: Int...) -> [UInt8] { values.flatMap { FileSurgery.bytes($0, count: 4) } }

  /// The scale of a track, and runs of frames with a duration; the seconds of the frames 0, 1, 2, 5 and 9.
  @Test(
    arguments: [
      (1000, [(2, 100), (4, 500)], [0.1, 0.1, 0.5, 0.5, 0]), (10, [(100, 5)], [0.5, 0.5, 0.5, 0.5, 0.5]),
      (0, [(100, 5)], [0, 0, 0, 0, 0]), (1, [], [0, 0, 0, 0, 0]), (1, [(1, 1), (0, 9), (1, 2)], [1, 2, 0, 0, 0]),
      (2, [(1, 1), (1, 2), (1, 3), (3, 4)], [0.5, 1, 1.5, 2, 0]),
    ] as [(Int, [(Int, Int)], [Double])])
  func `frames have the durations of their runs`(_ scale: Int, _ runs: [(Int, Int)], _ expected: [Double]) {
    for version in [0, 1] {
      let times = version == 1 ? Self.numbers(1 << 24, 0, 0, 0, 0, scale) : Self.numbers(0, 0, 0, scale)
      let table = Self.numbers(0, runs.count) + runs.flatMap { Self.numbers($0.0, $0.1) }
      let media =
        Self.box("mdhd", times) + Self.box("minf", Self.box("stbl", Self.box("stts", table)))
      let durations = media.withUnsafeBytes { FrameDurationRuns(media: Bytes($0)) }
      #expect([0, 1, 2, 5, 9].map { durations.seconds(ofFrame: $0) } == expected)
    }
  }

  @Test(
    arguments: [
      ("2024", "2024"), ("2024-05", "2024 5"), ("2024:05:01", "2024 5 1"), ("2024:05:01 10:20:30", "2024 5 1 10 20 30"),
      ("2024-05-01T10:20", "2024 5 1 10 20"), ("2024-05-01T10:20Z", "2024 5 1 10 20 +0"),
      ("2024-05-01T10:20:30.25+02:30", "2024 5 1 10 20 30 250000000 +9000"),
      ("2024-05-01T10:20:30-14:00", "2024 5 1 10 20 30 +-50400"),
      ("2024-05-01T10:20:30.1234567891", "2024 5 1 10 20 30 123456789"),
      ("2024-05-01T10:20:30.x", "2024 5 1 10 20 30 0"),
      ("2024-05-01T10:20:60", "2024 5 1 10 20 60"), ("2024-05-01T10:20:61", nil), ("2024-05-01T10:60:00", nil),
      ("2024-05-01T24:00:00", nil), ("2024-12-31", "2024 12 31"), ("2024-13-01", nil), ("2024-00-01", nil),
      ("2024-05-32", nil),
      ("2024-05-00", nil), ("202", nil), ("2O24", nil), ("2024-5", nil), ("2024-05-01T10", nil),
      ("2024-05-01T10:20:3", nil),
      ("2024-05-01T10:20:30+15:00", "2024 5 1 10 20 30"), ("2024-05-01T10:20:30+01:60", "2024 5 1 10 20 30"),
      ("2024-05-01T10:20:30+0100", "2024 5 1 10 20 30"), ("    :  :     :  :  ", nil),
    ] as [(String, String?)])
  func `a date states its parts from the year on`(_ text: String, _ expected: String?) {
    let found = MetadataDate.components(text).map { date in
      let numbers = [date.year, date.month, date.day, date.hour, date.minute, date.second, date.nanosecond]
      let zone = date.timeZone.map { " +\($0.secondsFromGMT())" } ?? ""
      return numbers.compactMap { $0.map { "\($0)" } }.joined(separator: " ") + zone
    }
    #expect(found == expected)
  }

  @Test(
    arguments: [
      (Array("  a b \0c".utf8), "a b"), ([0x61, 0xE9], "a\u{E9}"), (Array("\u{E9}".utf8), "\u{E9}"),
      (Array(" \n\t ".utf8), nil),
      ([], nil), ([0], nil), (Array("a\u{7}b\u{2028}c\u{2029}".utf8), "abc"), (Array("\u{200B}".utf8), "\u{200B}"),
      ([UInt8](repeating: 0x61, count: 5000), String(repeating: "a", count: 4096)),
    ] as [([UInt8], String?)])
  func `text of metadata is cleaned`(_ bytes: [UInt8], _ expected: String?) {
    #expect(bytes.withUnsafeBytes { MetadataText.text(Bytes($0)) } == expected)
  }
}
