import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

#if !IMAGEIO
/// Samples that libtiff's conversion to RGBA refuses or gets wrong.
@Suite(.unitTest)
struct TIFFSampleTests {
  /// How samples are stored.
  enum Layout: CaseIterable {
    case strip, strips, tiles, planes, tiledPlanes

    var hasPlanes: Bool { [.planes, .tiledPlanes].contains(self) }
  }

  /// A little-endian file of whole bytes, or with one strip of others.
  ///
  /// - Parameter pixels: The samples of all pixels, from the top.
  private static func file(
    _ width: Int, _ height: Int, bits: Int, photometric: Int, samples: Int = 1, format: Int = 1, extra: [Int] = [],
    palette: [Int] = [], layout: Layout = .strip, pixels: [UInt8]
  ) -> Data {
    let size = bits / 8
    let isTiled = [.tiles, .tiledPlanes].contains(layout)
    let (partWidth, partHeight) = isTiled ? (16, 16) : (width, layout == .strip ? height : 3)
    var parts: [[UInt8]] = layout == .strip ? [pixels] : []
    for plane in 0..<(layout == .strip ? 0 : layout.hasPlanes ? samples : 1) {
      for top in stride(from: 0, to: height, by: partHeight) {
        for left in stride(from: 0, to: width, by: partWidth) {
          // The last strip has fewer rows, the last tiles have as many as the others.
          let rows = isTiled ? top..<top + partHeight : top..<min(top + partHeight, height)
          parts.append(
            rows.flatMap { row in
              (left..<left + partWidth).flatMap { column -> [UInt8] in
                let (first, count) = layout.hasPlanes ? (plane, 1) : (0, samples)
                let start = ((min(row, height - 1) * width + min(column, width - 1)) * samples + first) * size
                return Array(pixels[start..<start + count * size])
              }
            })
        }
      }
    }
    var content: [UInt8] = []
    let offsets = parts.map { part in
      defer { content += part + [UInt8](repeating: 0, count: part.count % 2) }
      return 8 + content.count
    }
    var entries: [(tag: Int, type: Int, values: [Int])] = [
      (256, 3, [width]), (257, 3, [height]), (258, 3, Array(repeating: bits, count: samples)), (259, 3, [1]),
      (262, 3, [photometric]), (277, 3, [samples]), (284, 3, [layout.hasPlanes ? 2 : 1]),
    ]
    entries +=
      isTiled
      ? [(322, 3, [partWidth]), (323, 3, [partHeight]), (324, 4, offsets), (325, 4, parts.map(\.count))]
      : [(273, 4, offsets), (278, 3, [partHeight]), (279, 4, parts.map(\.count))]
    if !palette.isEmpty { entries.append((320, 3, palette)) }
    if !extra.isEmpty { entries.append((338, 3, extra)) }
    entries.append((339, 3, Array(repeating: format, count: samples)))
    entries.sort { $0.tag < $1.tag }
    var directory = bytes(entries.count, 2)
    for (tag, type, values) in entries {
      let width = type == 3 ? 2 : 4
      var stored = values.flatMap { bytes($0, width) }
      if stored.count > 4 {
        let position = 8 + content.count
        content += stored
        stored = bytes(position, 4)
      }
      directory += bytes(tag, 2) + bytes(type, 2) + bytes(values.count, 4)
      directory += stored + [UInt8](repeating: 0, count: 4 - stored.count)
    }
    return Data(Array("II".utf8) + [42, 0] + bytes(8 + content.count, 4) + content + directory + bytes(0, 4))
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func floats(_ values: [Float]) -> [UInt8] { values.flatMap { bytes(Int($0.bitPattern), 4) } }

  private func colors(_ file: Data) throws -> [Color] {
    let image = try TIFFDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap.isOpaque == !image.info.hasAlpha)
    return (0..<image.size.height).flatMap { row in (0..<image.size.width).map { image.bitmap.color($0, row) } }
  }

  private func grey(_ value: Int, _ alpha: Int = 255) -> Color { Color(value, value, value, alpha) }

  @Test func `grey is multiplied by alpha that is not associated`() throws {
    let image = try TIFFDecoder().decode(Fixture.data("cases/tif-grey-alpha.tif"), options: DecodingOptions())
    #expect(image.bitmap.color(8, 8) == grey(107, 136))
    let straight = Self.file(2, 1, bits: 8, photometric: 1, samples: 2, extra: [2], pixels: [200, 128, 255, 0])
    #expect(try colors(straight) == [grey(100, 128), grey(0, 0)])
    let associated = Self.file(2, 1, bits: 8, photometric: 1, samples: 2, extra: [1], pixels: [100, 128, 255, 255])
    #expect(try colors(associated) == [grey(100, 128), grey(255)])
    // White is 0.
    let inverted = Self.file(2, 1, bits: 8, photometric: 0, samples: 2, extra: [2], pixels: [0, 255, 255, 255])
    #expect(try colors(inverted) == [grey(255), grey(0)])
    let words = [0xFFFF, 0x8080, 0x4040, 0xFFFF].flatMap { Self.bytes($0, 2) }
    let wide = Self.file(2, 1, bits: 16, photometric: 1, samples: 2, extra: [2], pixels: words)
    #expect(try colors(wide) == [grey(128, 128), grey(64)])
    // The file does not say what the extra sample means.
    let unknown = Self.file(2, 1, bits: 8, photometric: 1, samples: 2, extra: [0], pixels: [100, 1, 200, 2])
    #expect(try colors(unknown) == [grey(100), grey(200)])
  }

  @Test func `a palette keeps its alpha`() throws {
    let palette = (0..<3).flatMap { channel in (0..<256).map { $0 == channel ? 0xFFFF : 0 } }
    let file = Self.file(
      4, 1, bits: 8, photometric: 3, samples: 2, extra: [2], palette: palette, pixels: [0, 255, 1, 128, 2, 0, 9, 255])
    #expect(try colors(file) == [Color(255, 0, 0, 255), Color(0, 128, 0, 128), Color(0, 0, 0, 0), grey(0)])
  }

  @Test func `a palette whose numbers are bytes is one of bytes`() throws {
    for (greatest, expected) in [(255, [255, 128]), (256, [1, 0]), (0xFFFF, [255, 0])] {
      let palette = (0..<3 * 256).map { $0 == 1 ? greatest : $0 == 2 ? 128 : 0 }
      let file = Self.file(
        2, 1, bits: 8, photometric: 3, samples: 2, extra: [2], palette: palette, pixels: [1, 255, 2, 255])
      #expect(try colors(file) == expected.map { Color($0, 0, 0, 255) })
    }
  }

  @Test func `a palette of 65,536 colours is read`() throws {
    let palette = (0..<3).flatMap { channel in (0..<65_536).map { channel == 0 ? $0 : 0 } }
    let file = Self.file(
      2, 1, bits: 16, photometric: 3, palette: palette, pixels: Self.bytes(0xFFFF, 2) + Self.bytes(0x8000, 2))
    #expect(try colors(file) == [Color(255, 0, 0, 255), Color(128, 0, 0, 255)])
  }

  @Test func `neutral greys in CIELAB are neutral`() throws {
    let image = try TIFFDecoder().decode(Fixture.data("cases/tif-cielab-neutral.tif"), options: DecodingOptions())
    for row in 0..<16 {
      let color = image.bitmap.color(3, row)
      #expect(abs(color.x - color.y) <= 1 && abs(color.z - color.y) <= 1, "\(color)")
    }
    #expect(abs(image.bitmap.color(15, 8).x - 127) <= 12 && image.bitmap.color(15, 15) == grey(255))
    // sRGB's red is 54.3, 80.8, 69.9; in the encoding of ICC profiles the axes begin at 128.
    for (photometric, offset) in [(8, 0), (9, 128)] {
      let lab = [138, UInt8(truncatingIfNeeded: 81 + offset), UInt8(truncatingIfNeeded: 70 + offset)]
      let red = try colors(Self.file(1, 1, bits: 8, photometric: photometric, samples: 3, pixels: lab))[0]
      #expect(red.x >= 250 && red.y <= 10 && red.z <= 10, "\(red)")
    }
  }

  /// Lightness and axes of 16 bits, in which 256 is a step of an axis; the greatest lightness of ICC profiles is 0xFF00.
  @Test(arguments: [(8, 0xFFFF, 0), (9, 0xFF00, 0x8000), (8, 0, 0), (9, 0, 0x8000)])
  func `lightness of 16 bits is scaled by its encoding`(_ photometric: Int, _ lightness: Int, _ axis: Int) throws {
    let words = [lightness, axis, axis].flatMap { Self.bytes($0, 2) }
    let file = Self.file(1, 1, bits: 16, photometric: photometric, samples: 3, pixels: words)
    #expect(try colors(file) == [grey(lightness == 0 ? 0 : 255)])
    // Half of the range is lightness 50, which is 119 in sRGB: by that of the other encoding it would be a level less.
    let half = [lightness / 2, axis, axis].flatMap { Self.bytes($0, 2) }
    let middle = try colors(Self.file(1, 1, bits: 16, photometric: photometric, samples: 3, pixels: half))[0]
    #expect(abs(middle.x - (lightness == 0 ? 0 : 119)) <= 1, "\(middle)")
    // sRGB's red is 54.3, 80.8, 69.9.
    let greatest = photometric == 8 ? 0xFFFF : 0xFF00
    let red = [greatest * 543 / 1000, (axis + 81 * 256) & 0xFFFF, axis + 70 * 256].flatMap { Self.bytes($0, 2) }
    let color = try colors(Self.file(1, 1, bits: 16, photometric: photometric, samples: 3, pixels: red))[0]
    #expect(color.x >= 250 && color.y <= 10 && color.z <= 10, "\(color)")
  }

  @Test(arguments: [TargetSize.original, .fit(width: 8, height: 8)])
  func `tiles of any size are read`(_ size: TargetSize) throws {
    let file = try Fixture.data("cases/tif-tile-256-bytes.tif")
    let bitmap = try TIFFDecoder().decode(file, options: DecodingOptions(size: size)).bitmap
    guard size == .original else { return #expect(bitmap.size == PixelSize(width: 8, height: 8)) }
    for value in 0..<256 { #expect(bitmap.color(value % 16, value / 16) == grey(value)) }
  }

  @Test func `samples of 12 and 32 bits are scaled`() throws {
    let packed: [UInt8] = [0xFF, 0xF8, 0x00, 0x00, 0x00, 0x10]
    #expect(try colors(Self.file(4, 1, bits: 12, photometric: 1, pixels: packed)) == [255, 128, 0, 1].map { grey($0) })
    let words = [0xFFFF_FFFF, 0x8080_8080, 0].flatMap { Self.bytes($0, 4) }
    #expect(try colors(Self.file(3, 1, bits: 32, photometric: 1, pixels: words)) == [grey(255), grey(128), grey(0)])
    #expect(
      try colors(Self.file(1, 1, bits: 32, photometric: 2, samples: 3, pixels: words)) == [Color(255, 128, 0, 255)])
    // Each row begins at a byte.
    let rows: [UInt8] = [0xFF, 0xF0, 0x00, 0x00]
    #expect(try colors(Self.file(1, 2, bits: 12, photometric: 1, pixels: rows)) == [grey(255), grey(0)])
  }

  @Test func `floating-point samples are from 0 to 1`() throws {
    let bitmap = try TIFFDecoder().decode(Fixture.data("cases/tif-float32.tif"), options: DecodingOptions()).bitmap
    #expect(bitmap.color(0, 0) == grey(0) && bitmap.color(15, 15) == grey(255))
    let values: [Float] = [0.5, -3, 7, .nan, .infinity, -.infinity]
    let expected = [128, 0, 255, 0, 255, 0].map { grey($0) }
    #expect(try colors(Self.file(6, 1, bits: 32, photometric: 1, format: 3, pixels: Self.floats(values))) == expected)
    let color = Self.file(1, 1, bits: 32, photometric: 2, samples: 3, format: 3, pixels: Self.floats([1, 0, 0.5]))
    #expect(try colors(color) == [Color(255, 0, 128, 255)])
    let halves = [0x3C00, 0x3800, 0x0001, 0xBC00].flatMap { Self.bytes($0, 2) }
    let half = Self.file(4, 1, bits: 16, photometric: 1, format: 3, pixels: halves)
    #expect(try colors(half) == [255, 128, 0, 0].map { grey($0) })
    let doubles = [1.0, 0.5].flatMap { Self.bytes(Int(bitPattern: UInt(truncatingIfNeeded: $0.bitPattern)), 8) }
    #expect(
      try colors(Self.file(2, 1, bits: 64, photometric: 1, format: 3, pixels: doubles)) == [grey(255), grey(128)])
  }

  /// A kind of samples, and the sample that becomes a number from 0 to 255.
  struct Kind: CustomTestStringConvertible {
    let bits: Int
    let format: Int
    let sample: @Sendable (Int) -> [UInt8]

    var testDescription: String { "\(bits) bits of format \(format)" }
  }

  private static let kinds = [
    Kind(bits: 8, format: 1) { [UInt8($0)] }, Kind(bits: 16, format: 1) { bytes($0 * 257, 2) },
    Kind(bits: 32, format: 1) { bytes($0 * 0x0101_0101, 4) }, Kind(bits: 32, format: 4) { bytes($0 * 0x0101_0101, 4) },
    Kind(bits: 8, format: 2) { [UInt8($0 / 2)] }, Kind(bits: 16, format: 2) { bytes($0 * 32_767 / 255, 2) },
    Kind(bits: 32, format: 2) { bytes($0 * 0x7FFF_FFFF / 255, 4) },
    // Eighths of the range, as exact as a half needs.
    Kind(bits: 16, format: 3) { bytes(half(Double($0) / 255), 2) },
    Kind(bits: 32, format: 3) { floats([Float($0) / 255]) },
    Kind(bits: 64, format: 3) { bytes(Int(bitPattern: UInt((Double($0) / 255).bitPattern)), 8) },
  ]

  /// The bits of a number from 0 to 1 in IEEE 754 binary16.
  private static func half(_ value: Double) -> Int {
    guard value > 0 else { return 0 }
    let exponent = max(-14, Int(log2(value).rounded(.down)))
    return (exponent + 15) << 10 + Int(((value / pow(2, Double(exponent)) - 1) * 1024).rounded())
  }

  @Test(arguments: kinds, Layout.allCases)
  func `samples are read in strips, tiles and planes`(_ kind: Kind, _ layout: Layout) throws {
    // Grey, grey with alpha and another sample, RGB, RGB with alpha.
    for (photometric, samples, extra) in [(1, 1, []), (1, 3, [2, 0]), (2, 3, []), (2, 4, [2])] {
      func value(_ column: Int, _ row: Int, _ sample: Int) -> Int { (column * 9 + row * 5 + sample * 60) % 256 }
      let (width, height) = (21, 19)
      let pixels = (0..<height).flatMap { row in
        (0..<width).flatMap { column in (0..<samples).flatMap { kind.sample(value(column, row, $0)) } }
      }
      let file = Self.file(
        width, height, bits: kind.bits, photometric: photometric, samples: samples, format: kind.format, extra: extra,
        layout: layout, pixels: pixels)
      let bitmap = try TIFFDecoder().decode(file, options: DecodingOptions()).bitmap
      var largest = 0
      for row in 0..<height {
        for column in 0..<width {
          let colorCount = photometric == 1 ? 1 : 3
          let alpha = extra.isEmpty ? 255 : value(column, row, colorCount)
          for channel in 0..<3 {
            let color = value(column, row, colorCount == 1 ? 0 : channel) * alpha / 255
            largest = max(largest, abs(bitmap.color(column, row)[channel] - color))
          }
          largest = max(largest, abs(bitmap.color(column, row).w - alpha))
        }
      }
      // A signed byte has half of the levels.
      #expect(largest <= (kind.bits == 8 && kind.format == 2 ? 3 : 2), "\(samples) samples")
      let region = PixelArea(left: 5, top: 7, width: 9, height: 6)
      let part = try TIFFDecoder().decode(file, options: DecodingOptions(region: region)).bitmap
      #expect(try part.largestDifference(to: bitmap.with(BitmapGeometry(region))) == 0, "\(samples) samples")
      guard layout == .strips else { continue }
      // The last strip of three rows is beyond the end of the file.
      var cut = file
      let offset = 8 + 6 * ((3 * width * samples * kind.bits / 8 + 1) / 2 * 2)
      cut.replaceSubrange(try #require(cut.lastRange(of: Self.bytes(offset, 4))), with: Self.bytes(1 << 30, 4))
      let before = try TIFFDecoder().decode(cut, options: DecodingOptions(region: region)).bitmap
      #expect(before.largestDifference(to: part) == 0, "\(samples) samples")
      for size in [TargetSize.original, .fill(width: 9, height: 2), .fill(width: width, height: 3)] {
        #expect(throws: ImageDecodingError.truncated(.tiff)) {
          try TIFFDecoder().decode(cut, options: DecodingOptions(size: size))
        }
      }
    }
  }

  @Test func `floats in tiles have the colours of those in strips`() throws {
    let file = try Fixture.data("cases/tif-float32-tiles.tif")
    #expect(try TIFFDecoder().decode(file, options: DecodingOptions()).bitmap.color(16, 16) == grey(132))
    let (header, size) = (file.prefix(file.count / 3), DecodingOptions(size: .fit(width: 8, height: 8)))
    #expect(throws: ImageDecodingError.truncated(.tiff)) { try TIFFDecoder().decode(header, options: size) }
  }

  @Test func `negative samples are black`() throws {
    for (bits, numbers) in [(8, [-1, -128, 127]), (16, [-1, -32_768, 32_767]), (32, [-1, -1 << 31, 1 << 31 - 1])] {
      let pixels = numbers.flatMap { Self.bytes($0, bits / 8) }
      #expect(
        try colors(Self.file(3, 1, bits: bits, photometric: 1, format: 2, pixels: pixels))
          == [0, 0, 255].map { grey($0) })
    }
  }

  @Test(arguments: [(1, 2), (2, 3), (5, 4)])
  func `signed samples of any depth are read or refused`(_ photometric: Int, _ samples: Int) {
    for bits in 1...64 {
      let file = Self.file(
        2, 1, bits: bits, photometric: photometric, samples: samples, format: 2,
        extra: photometric == 1 ? [2] : [], pixels: Array(repeating: 0, count: 64))
      do { _ = try colors(file) } catch { #expect(error is ImageDecodingError, "\(bits) bits: \(error)") }
    }
  }

  @Test func `inks of 16 bits are converted`() throws {
    let words = [0, 0, 0, 0, 0xFFFF, 0, 0, 0, 0, 0, 0, 0xFFFF].flatMap { Self.bytes($0, 2) }
    let file = Self.file(3, 1, bits: 16, photometric: 5, samples: 4, pixels: words)
    #expect(try colors(file) == [grey(255), Color(0, 255, 255, 255), grey(0)])
  }

  @Test func `an error has a reason`() throws {
    do {
      _ = try TIFFDecoder().decode(Fixture.data("cases/tif-fax3-empty-reason.tif"), options: DecodingOptions())
    } catch ImageDecodingError.corrupt(.tiff, let reason) {
      #expect(reason.count > 5)
    }
    // Complex numbers have no colours.
    #expect {
      try colors(Self.file(1, 1, bits: 32, photometric: 1, format: 5, pixels: [0, 0, 0, 0]))
    } throws: { error in
      if case .unsupportedFeature(.tiff, let feature)? = error as? ImageDecodingError {
        feature.count > 50
      } else {
        false
      }
    }
  }

  @Test func `a file that ends in its samples is truncated`() throws {
    for name in ["tif-grey-alpha", "tif-float32", "tif-tile-256-bytes", "tif-cielab-neutral"] {
      var file = try Fixture.data("cases/\(name).tif")
      let image = try TIFFDecoder().decode(file, options: DecodingOptions())
      #expect(image.size.width > 0)
      // The directory comes first, so that the samples are cut, or the error says so.
      file.removeLast(60)
      #expect(throws: ImageDecodingError.truncated(.tiff), "\(name)") {
        try TIFFDecoder().decode(file, options: DecodingOptions())
      }
    }
  }
}
#endif
