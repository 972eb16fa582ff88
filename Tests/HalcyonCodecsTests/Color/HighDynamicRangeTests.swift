import HalcyonImaging
import Foundation
@testable import HalcyonCodecs
import HalcyonTestTraits
import Testing

/// Charts whose expected pixels come from an independent model in NumPy, which is within
/// one level of Chromium's canvas where no channel is above white.
@Suite(.integrationTest)
struct HighDynamicRangeTests {
  static let charts: [(file: String, expected: String)] = {
    var charts = [
      ("hdr-pq.png", "hdr-pq"), ("hdr-hlg.png", "hdr-hlg"), ("hdr-pq-p3.png", "hdr-pq-p3"),
      ("hdr-pq-400.png", "hdr-pq-400"), ("hdr-pq-interlaced.png", "hdr-pq"),
    ]
    #if AVIF
    charts += [("hdr-pq.avif", "hdr-pq"), ("hdr-hlg.avif", "hdr-hlg")]
    #endif
    #if HEIF
    charts += [("hdr-pq.heic", "hdr-pq")]
    #endif
    #if JXL
    charts += [
      ("hdr-pq.jxl", "hdr-pq"), ("hdr-hlg.jxl", "hdr-hlg"), ("hdr-pq-xyb.jxl", "hdr-pq"),
      ("hdr-hlg-xyb.jxl", "hdr-hlg"),
    ]
    #endif
    return charts
  }()

  @Test(arguments: charts)
  func `a chart is mapped to what an independent model expects`(_ name: String, _ expected: String) throws {
    let image = try decode(name)
    let reference = try decode("\(expected).expected.png")
    #expect(image.info.droppedContent == [.highDynamicRange] && reference.info.droppedContent == [])
    let isLossy = self.isLossy(name)
    let distances = Self.squares(of: image.bitmap, to: reference.bitmap)
    // Near the edge of the gamut, sRGB has a few steep levels above 0.
    #expect(distances.reduce(0, +) / distances.count <= (isLossy ? 1 : 0), "\(name)")
    #expect(distances.filter { $0 > (isLossy ? 4 : 2) }.count <= distances.count / 50, "\(distances.max() ?? 0)")
  }

  /// The greys are 64 steps of PQ up to 1,000 cd/m², or of all HLG: below the peak none is white, and all differ.
  @Test(arguments: charts)
  func `highlights keep their order`(_ name: String, _ expected: String) throws {
    let bitmap = try decode(name).bitmap
    let greys = (0..<64).map { bitmap.color($0 % 16 * 4 + 1, $0 / 16 * 4 + 1).y }
    let isPeakLower = name.contains("400")
    #expect(greys == greys.sorted() && greys[63] >= (isLossy(name) ? 252 : 255), "\(greys)")
    #expect(isPeakLower || greys[62] < 255 && Set(greys.suffix(32)).count >= (isLossy(name) ? 29 : 32), "\(greys)")
    // The brightest squares of a hue differ as well, by the channels that are not at their limit.
    for row in 4..<16 where !isPeakLower && !isLossy(name) {
      let hue = (10..<16).map { bitmap.color($0 * 4 + 1, row * 4 + 1) }
      #expect(Set(hue).count == hue.count, "\(hue)")
    }
  }

  @Test(arguments: charts)
  func `a smaller size has the same colours`(_ name: String, _ expected: String) throws {
    let full = try decode(name).bitmap
    let small = try decode(name, size: .fit(width: 16, height: 16)).bitmap
    var sum = 0
    for index in 0..<256 {
      let distance = small.color(index % 16, index / 16) &- full.color(index % 16 * 4 + 1, index / 16 * 4 + 1)
      sum += (0..<3).reduce(0) { $0 + abs(distance[$1]) }
    }
    #expect(sum / 768 <= 8)
  }

  @Test func `a damaged or foreign chunk of colours is not high dynamic range`() throws {
    let file = try Fixture.data("pngsuite/basn2c16.png")
    let plain = try PNGDecoder().decode(file, options: DecodingOptions())
    for content in [[9, 16, 0, 0], [9, 16, 9, 1], [9, 16], [9, 1, 0, 1], []] as [[UInt8]] {
      let image = try PNGDecoder().decode(FileSurgery.png(file, inserting: "cICP", content), options: DecodingOptions())
      #expect(image.info.droppedContent == [])
      if content.count != 4 || content[1] == 16 {
        #expect(image.bitmap.largestDifference(to: plain.bitmap) == 0)
      }
    }
  }

  @Test func `the frames of an animated PNG are mapped, also where high dynamic range is wanted`() throws {
    let file = try Fixture.data("color/hdr-pq.png")
    let side = FileSurgery.bytes(64, count: 4)
    let control = [0, 0, 0, 0] + side + side + [UInt8](repeating: 0, count: 8) + [0, 1, 0, 10, 0, 0]
    let animation = FileSurgery.png(
      FileSurgery.png(file, inserting: "fcTL", control), inserting: "acTL", [0, 0, 0, 1, 0, 0, 0, 0])
    for range in [DynamicRange.standard, .high] {
      var options = DecodingOptions()
      options.dynamicRange = range
      let frame = try #require(try PNGDecoder().frameReader(for: animation, options: options).nextFrame()).bitmap
      #expect(frame.dynamicRange == .standard)
      #expect(try frame.largestDifference(to: decode(file).bitmap) <= 1)
    }
  }

  @Test func `the peak is that of the content, else that of the display it was made on`() throws {
    let file = try Fixture.data("color/hdr-pq.png")
    let mastering = [UInt8](repeating: 0, count: 16) + FileSurgery.bytes(4_000_000, count: 4) + [0, 0, 0, 50]
    let limited = FileSurgery.png(file, inserting: "mDCV", mastering)
    let stated = try decode(Fixture.data("color/hdr-pq-400.png")).bitmap
    #expect(try decode(limited).bitmap.largestDifference(to: stated) == 0)
    let ignored = [UInt8](repeating: 1, count: 24)
    let both = try FileSurgery.png(Fixture.data("color/hdr-pq-400.png"), inserting: "mDCV", ignored)
    #expect(try decode(both).bitmap.largestDifference(to: stated) == 0)
    let none = FileSurgery.png(file, inserting: "cLLI", [UInt8](repeating: 0, count: 8))
    #expect(try decode(none).bitmap.largestDifference(to: decode("hdr-pq.png").bitmap) == 0)
  }

  @Test(arguments: ["basn0g04", "basn0g16", "basn2c08", "basn3p04", "basn4a16", "basn6a08", "basi2c08", "tbbn3p08"])
  func `each colour type is mapped, with straight alpha`(_ name: String) throws {
    let file = FileSurgery.png(try Fixture.data("pngsuite/\(name).png"), inserting: "cICP", [9, 16, 0, 1])
    let plain = try decode(Fixture.data("pngsuite/\(name).png")).bitmap
    let mapped = try decode(file).bitmap
    #expect(mapped.size == plain.size && mapped.isOpaque == plain.isOpaque)
    for row in 0..<plain.size.height {
      for column in 0..<plain.size.width {
        let (before, after) = (plain.color(column, row), mapped.color(column, row))
        #expect(abs(before.w - after.w) <= 1 && max(after.x, after.y, after.z) <= after.w)
      }
    }
    #expect(mapped.largestDifference(to: plain) > 10)
  }

  #if AVIF
  @Test func `a box states the peak`() throws {
    // The box takes the place of another property, so that the offsets in the file stay valid.
    var file = try Fixture.data("color/hdr-pq.avif")
    let start = try #require(file.firstRange(of: Data("pixi".utf8))).lowerBound
    file.replaceSubrange(start..<start + 8, with: Array("clli".utf8) + FileSurgery.bytes(400, count: 2) + [0, 100])
    let distances = Self.squares(of: try decode(file).bitmap, to: try decode("hdr-pq-400.expected.png").bitmap)
    #expect(distances.reduce(0, +) / distances.count <= 1)
  }
  #endif

  private func isLossy(_ name: String) -> Bool {
    name.contains("avif") || name.contains("heic") || name.contains("xyb")
  }

  private func decode(_ name: String, size: TargetSize = .original) throws -> DecodedImage {
    try decode(Fixture.data("color/\(name)"), size: size)
  }

  private func decode(_ file: Data, size: TargetSize = .original) throws -> DecodedImage {
    try StandardCodecs.decoder(of: file).decode(file, options: DecodingOptions(size: size))
  }

  /// The largest difference of a channel in the middle of each square of a chart.
  private static func squares(of bitmap: Bitmap, to other: Bitmap) -> [Int] {
    guard bitmap.size == other.size else { return [.max] }
    return (0..<256).map { index in
      let (column, row) = (index % 16 * 4 + 1, index / 16 * 4 + 1)
      let distance = bitmap.color(column, row) &- other.color(column, row)
      return (0..<3).map { abs(distance[$0]) }.max() ?? 0
    }
  }
}
