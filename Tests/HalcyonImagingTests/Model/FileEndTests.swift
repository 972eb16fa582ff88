import Foundation
@_spi(Programs) import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Files that say where they end.
@Suite(.unitTest)
struct FileEndTests {
  /// A number in as many bytes as its name says.
  private struct Writer {
    var isBigEndian = false

    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      return isBigEndian ? bytes.reversed() : bytes
    }
  }

  /// A TIFF file with two strips behind its directory, or BigTIFF with numbers of 64 bits.
  private static func tiff(isBigEndian: Bool, isBig: Bool, tags: (Int, Int) = (273, 279)) -> [UInt8] {
    let writer = Writer(isBigEndian: isBigEndian)
    let (size, type) = isBig ? (8, 16) : (4, 4)
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      writer.bytes(tag, 2) + writer.bytes(type, 2) + writer.bytes(count, size) + value
    }
    let head: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
    let start =
      isBig
      ? head + writer.bytes(43, 2) + writer.bytes(8, 2) + writer.bytes(0, 2) + writer.bytes(16, 8)
      : head + writer.bytes(42, 2) + writer.bytes(8, 4)
    let directoryEnd = start.count + (isBig ? 8 + 2 * 20 + 8 : 2 + 2 * 12 + 4)
    let pixels = directoryEnd + 2 * size
    // The lengths, of 16 bits, are in the directory itself, the offsets behind it.
    let lengths = writer.bytes(10, 2) + writer.bytes(7, 2) + [UInt8](repeating: 0, count: size - 4)
    let directory =
      writer.bytes(2, isBig ? 8 : 2)
      + entry(tags.0, type, 2, writer.bytes(directoryEnd, size)) + entry(tags.1, 3, 2, lengths)
      + writer.bytes(0, size)
    return start + directory + writer.bytes(pixels, size) + writer.bytes(pixels + 10, size)
      + [UInt8](repeating: 90, count: 17)
  }

  private static func box(_ type: String, _ content: Int, isLong: Bool = false) -> [UInt8] {
    let writer = Writer(isBigEndian: true)
    let head =
      isLong ? writer.bytes(1, 4) + type.utf8 + writer.bytes(16 + content, 8) : writer.bytes(8 + content, 4) + type.utf8
    return head + [UInt8](repeating: 0, count: content)
  }

  private static let drawing = Data(#"<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>"#.utf8)

  private static var chunk: [UInt8] {
    Array("RIFF".utf8) + Writer().bytes(12, 4) + Array("WEBPVP8 ".utf8) + [4, 0, 0, 0]
  }

  static let files: [(name: String, format: ImageFormat, bytes: Data)] = [
    ("little-endian", .tiff, Data(tiff(isBigEndian: false, isBig: false))),
    ("big-endian", .tiff, Data(tiff(isBigEndian: true, isBig: false))),
    ("tiles", .tiff, Data(tiff(isBigEndian: false, isBig: false, tags: (324, 325)))),
    ("little-endian BigTIFF", .tiff, Data(tiff(isBigEndian: false, isBig: true))),
    ("big-endian BigTIFF", .tiff, Data(tiff(isBigEndian: true, isBig: true))),
    ("boxes", .avif, Data(box("ftyp", 8) + box("mdat", 20))),
    ("a box with a long length", .heic, Data(box("ftyp", 8) + box("mdat", 20, isLong: true))),
    ("boxes", .jpegXL, Data(box("JXL ", 4) + box("jxlc", 20))),
    ("a chunk", .webp, Data(chunk)),
    ("a drawing", .svg, drawing),
    ("a compressed drawing", .svg, InflatedContent.gzip(drawing)),
  ]

  @Test func `a GIF file may lack the end itself, but no byte of its last block`() {
    let screen = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [UInt8](repeating: 0, count: 6)
    let file = Data(screen + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
    for whole in [file, file + [0x3B]] { #expect(!ImageFormat.gif.lacksEnd(whole)) }
    for count in 1...3 { #expect(ImageFormat.gif.lacksEnd(file.dropLast(count)), "\(count) bytes are missing") }
  }

  /// A size of 0 stands for all that follows.
  @Test(arguments: [ImageFormat.avif, .heic, .jpegXL])
  func `a file whose last box has no size of its own may end anywhere in it`(_ format: ImageFormat) {
    let start: [UInt8] = Self.box("ftyp", 8) + [0, 0, 0, 0] + Array("mdat".utf8)
    let file = Data(start + [UInt8](repeating: 7, count: 20))
    for missing in [0, 1, 20] { #expect(!format.lacksEnd(file.dropLast(missing)), "\(missing) bytes are missing") }
    #expect(format.lacksEnd(file.dropLast(25)), "the size itself is cut")
  }

  @Test(arguments: files)
  func `a file that is cut anywhere behind its signature lacks its end, and the whole one does not`(
    _ file: (name: String, format: ImageFormat, bytes: Data)
  ) {
    #expect(!file.format.lacksEnd(file.bytes))
    let missing = (1...(file.bytes.count - 12)).filter { !file.format.lacksEnd(file.bytes.dropLast($0)) }
    // A file that is cut between two boxes is not known to be cut.
    let betweenBoxes = file.name.contains("box") ? file.bytes.count - (file.format == .jpegXL ? 12 : 16) : nil
    #expect(missing == [betweenBoxes].compactMap(\.self))
  }
}
