import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct GIFDecoderTests {
  private static let red = Color(255, 0, 0, 255)
  private static let green = Color(0, 255, 0, 255)
  private static let blue = Color(0, 0, 255, 255)
  private static let clear = Color(0, 0, 0, 0)

  /// One frame: its position, and rows of indices into red, green, blue and white.
  private struct Frame {
    var x = 0
    var y = 0
    var rows: [[UInt8]]
    var disposal: UInt8 = 1
    var transparentIndex: UInt8?
    /// Whether a graphic control extension precedes it.
    var hasControl = true
  }

  private static func file(_ width: Int, _ height: Int, _ frames: [Frame]) -> Data {
    func word(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    var file = Array("GIF89a".utf8) + word(width) + word(height) + [0x81, 0, 0]
    file += [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
    for frame in frames {
      if frame.hasControl {
        file += [0x21, 0xF9, 4, frame.disposal << 2 | (frame.transparentIndex == nil ? 0 : 1), 5, 0]
        file += [frame.transparentIndex ?? 0, 0]
      }
      file += [0x2C] + word(frame.x) + word(frame.y)
      file += word(frame.rows[0].count) + word(frame.rows.count) + [0]
      // Codes of three bits: 4 clears the table before each pixel, 5 ends.
      let codes = frame.rows.joined().flatMap { [4, Int($0)] } + [5]
      var bytes = [UInt8](repeating: 0, count: (codes.count * 3 + 7) / 8)
      for (index, code) in codes.enumerated() {
        for bit in 0..<3 where code >> bit & 1 == 1 { bytes[(index * 3 + bit) / 8] |= 1 << ((index * 3 + bit) % 8) }
      }
      file += [2, UInt8(bytes.count)] + bytes + [0]
    }
    return Data(file + [0x3B])
  }

  private func frames(_ file: Data) throws -> [Bitmap] {
    let reader = try GIFDecoder().frameReader(for: file, options: DecodingOptions())
    var bitmaps: [Bitmap] = []
    while let frame = try reader.nextFrame() { bitmaps.append(frame.bitmap) }
    return bitmaps
  }

  /// What is left of the second frame under the third. 4 is not in the standard; it restores.
  private static let disposals = [green, green, clear, red, red, green]

  @Test(arguments: disposals.indices)
  func `a disposal keeps a frame, clears it or restores what was before it`(_ disposal: Int) throws {
    let second = Frame(rows: [[1]], disposal: UInt8(disposal))
    let bitmaps = try frames(Self.file(2, 1, [Frame(rows: [[0, 0]]), second, Frame(x: 1, rows: [[2]])]))
    #expect(bitmaps.count == 3)
    #expect(bitmaps[1].color(0, 0) == Self.green && bitmaps[1].color(1, 0) == Self.red)
    #expect(bitmaps[2].color(0, 0) == Self.disposals[disposal] && bitmaps[2].color(1, 0) == Self.blue)
  }

  @Test func `a frame without a transparent colour of its own does not get that of the frame before it`() throws {
    let first = Frame(rows: [[1, 0]], transparentIndex: 0)
    let bitmaps = try frames(Self.file(2, 1, [first, Frame(rows: [[0, 2]], hasControl: false)]))
    try #require(bitmaps.count == 2)
    #expect(bitmaps[0].color(1, 0) == Self.clear)
    #expect(bitmaps[1].color(0, 0) == Self.red)
    #expect(bitmaps[1].color(1, 0) == Self.blue)
  }

  @Test func `an image is opaque if its first frame covers it without a transparent colour`() throws {
    let whole = [[UInt8]](repeating: [0, 1], count: 2)
    let cases: [(Frame, Bool, Color)] = [
      (Frame(rows: whole), true, Self.red), (Frame(rows: whole, transparentIndex: 0), false, Self.clear),
      // The frame is opaque, which only its pixels tell.
      (Frame(rows: whole, transparentIndex: 3), false, Self.red), (Frame(x: 1, rows: [[0], [0]]), false, Self.clear),
      (Frame(y: 1, rows: [[0, 0]]), false, Self.clear), (Frame(rows: [[0, 0]]), false, Self.red),
    ]
    for (frame, isOpaque, color) in cases {
      let image = try GIFDecoder().decode(Self.file(2, 2, [frame]), options: DecodingOptions())
      #expect(image.bitmap.isOpaque == isOpaque && image.info.hasAlpha == !isOpaque, "\(frame)")
      #expect(image.bitmap.color(0, 0) == color, "\(frame)")
    }
  }

  @Test func `a first frame beyond the screen enlarges the image, later ones are cut`() throws {
    let file = Self.file(
      2, 1,
      [Frame(x: 1, rows: [[0, 1], [1, 0]]), Frame(x: 2, y: 1, rows: [[2, 2], [2, 2]]), Frame(x: 9, rows: [[2]])])
    let size = PixelSize(width: 3, height: 2)
    #expect(try GIFDecoder().probe(file, isComplete: true)?.storedSize == size)
    let still = try GIFDecoder().decode(file, options: DecodingOptions()).bitmap
    try #require(still.size == size)
    #expect(still.color(0, 0) == Self.clear && still.color(2, 0) == Self.green)
    let bitmaps = try frames(file)
    try #require(bitmaps.map(\.size) == [size, size, size])
    #expect(bitmaps[1].color(2, 1) == Self.blue && bitmaps[1].color(1, 1) == Self.green)
    #expect(bitmaps[2].largestDifference(to: bitmaps[1]) == 0)
  }

  @Test(arguments: [0, 9, 12]) func `indices have one to eight bits`(_ bits: UInt8) throws {
    var file = Self.file(1, 1, [Frame(rows: [[0]])])
    file[try #require(file.firstRange(of: Data([0, 2, 2]))?.lowerBound) + 1] = bits
    #expect(throws: ImageDecodingError.corrupt(.gif, reason: "its LZW minimum code size is \(bits)")) {
      try GIFDecoder().decode(file, options: DecodingOptions())
    }
  }

  @Test func `indices are greys without a table of colours, and black beyond its end`() throws {
    let file = Self.file(2, 1, [Frame(rows: [[1, 3]])])
    let cases: [(flags: UInt8, count: Int, colors: [Color])] = [
      (0, 0, [Color(1, 1, 1, 255), Color(3, 3, 3, 255)]), (0x80, 2, [Self.green, Color(0, 0, 0, 255)]),
    ]
    for (flags, count, colors) in cases {
      var short = file
      short[10] = flags
      short.removeSubrange(13 + count * 3..<25)
      let bitmap = try GIFDecoder().decode(short, options: DecodingOptions()).bitmap
      #expect([bitmap.color(0, 0), bitmap.color(1, 0)] == colors)
    }
  }

  @Test func `a part of an opaque frame is not opaque`() throws {
    // Ends in the third pixel.
    let file = Self.file(2, 2, [Frame(rows: [[0, 1], [2, 0]])]).dropLast(4)
    let options = DecodingOptions(allowsPartialImage: true)
    let still = try GIFDecoder().decode(file, options: options).bitmap
    let frame = try #require(try GIFDecoder().frameReader(for: file, options: options).nextFrame()).bitmap
    for bitmap in [still, frame] {
      #expect(!bitmap.isOpaque && bitmap.color(1, 0) == Self.green && bitmap.color(0, 1) == Self.clear)
    }
  }

  @Test func `a file may lack its trailer, and not the end of a frame`() throws {
    let file = Self.file(2, 1, [Frame(rows: [[0, 1]]), Frame(rows: [[2, 2]])])
    let decoder = GIFDecoder()
    #expect(
      try frames(file.dropLast(1)).count == 2 && !decoder.decode(file.dropLast(1), options: DecodingOptions()).isPartial
    )
    #expect(try decoder.probe(file.dropLast(1), isComplete: true)?.frameCount == 2)
    #expect(throws: ImageDecodingError.truncated(.gif)) { try frames(file.dropLast(4)) }
  }
}
