import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Charts whose expected light comes from an independent model in NumPy.
@Suite(.integrationTest)
struct HalfFloatTests {
  // The same light as in `hdr-pq.png`, with another peak, which only tone mapping depends on.
  private static let charts = HighDynamicRangeTests.charts.filter { $0.file != "hdr-pq-400.png" }

  @Test(arguments: charts)
  func `a chart has the light that an independent model expects`(_ name: String, _ expected: String) throws {
    let image = try decode(name)
    #expect(image.bitmap.dynamicRange == .high && image.bitmap.colorSpace == .displayP3 && image.bitmap.isOpaque)
    #expect(image.bitmap.byteCount == image.size.pixelCount * 8)
    #expect(image.info.dynamicRange == (expected == "hdr-hlg" ? .hlg : .pq) && image.info.droppedContent == [])
    let distances = try Self.squares(of: image.bitmap, to: expected)
    let isLossy = name.contains("avif") || name.contains("heic") || name.contains("xyb")
    // PQ has many levels for what a level of the file is near black.
    let bound = !isLossy ? 0.05 : name.contains("xyb") ? 8 : 1.5
    #expect(distances.reduce(0, +) / 256 <= bound, "\(distances.reduce(0, +) / 256)")
    #expect(distances.filter { $0 > 100 * bound }.count <= 5, "\(distances.sorted().suffix(8))")
  }

  @Test(arguments: charts)
  func `a smaller size has the same light`(_ name: String, _ expected: String) throws {
    let small = try decode(name, size: .fit(width: 16, height: 16)).bitmap
    #expect(small.dynamicRange == .high)
    let light = try Self.expected(expected)
    let distances = (0..<256).map { small.light($0 % 16, $0 / 16).levels(to: light[$0]) }
    // The filter reaches into the neighbours of a square.
    #expect(distances.reduce(0, +) / 256 <= 50, "\(distances.reduce(0, +) / 256)")
  }

  @Test func `files of the standard range, animations among them, stay bytes`() throws {
    for name in ["pngsuite/basn6a16.png", "jpeg/peacock.default.jpeg", "formats/keep-over.apng"] {
      let file = try Fixture.data(name)
      let decoder = try StandardCodecs.decoder(of: file)
      let image = try decoder.decode(file, options: Self.options())
      #expect(image.bitmap.dynamicRange == .standard && image.info.dynamicRange == .standard)
      #expect(try image.bitmap.largestDifference(to: decoder.decode(file, options: DecodingOptions()).bitmap) == 0)
    }
  }

  @Test(arguments: ["basn0g16", "basn4a16", "basn6a08", "basi4a16", "tbbn3p08"])
  func `each colour type keeps its range, with premultiplied alpha`(_ name: String) throws {
    let file = FileSurgery.png(try Fixture.data("pngsuite/\(name).png"), inserting: "cICP", [9, 16, 0, 1])
    let standard = try decode(file, .standard).bitmap
    let high = try decode(file).bitmap
    #expect(high.isOpaque == standard.isOpaque)
    let mapped = try high.inStandardRange()
    for row in 0..<high.size.height {
      for column in 0..<high.size.width {
        let (light, alpha) = (high.light(column, row), standard.color(column, row).w)
        #expect(abs(Double(light.w) * 255 - Double(alpha)) <= 0.6 && abs(mapped.color(column, row).w - alpha) <= 1)
        if alpha == 0 { #expect(light == .zero) }
      }
    }
  }

  @Test func `a truncated file keeps its range as far as it goes`() throws {
    var options = Self.options()
    options.allowsPartialImage = true
    for name in ["hdr-pq.png", "hdr-pq-interlaced.png"] {
      let file = try Fixture.data("color/\(name)")
      let image = try PNGDecoder().decode(file.prefix(file.count * 3 / 4), options: options)
      #expect(image.isPartial && image.bitmap.dynamicRange == .high && !image.bitmap.isOpaque)
      #expect(image.bitmap.light(33, 1).levels(to: try Self.expected("hdr-pq")[8]) <= 0.5)
    }
  }

  @Test func `the range is kept in an upright image`() throws {
    let bitmap = try Bitmap.lit(3, 2) { column, row in SIMD4(Float(column), Float(row), 8, 1) }
    let turned = try bitmap.upright(from: .right)
    #expect(turned.size == PixelSize(width: 2, height: 3) && turned.dynamicRange == .high)
    #expect(turned.light(1, 0) == bitmap.light(0, 0) && turned.light(0, 2) == bitmap.light(2, 1))
  }

  private func decode(_ name: String, size: TargetSize = .original) throws -> DecodedImage {
    try decode(Fixture.data("color/\(name)"), size: size)
  }

  private func decode(
    _ file: Data, _ range: DynamicRange = .high, size: TargetSize = .original
  ) throws -> DecodedImage {
    var options = DecodingOptions(size: size)
    options.dynamicRange = range
    return try StandardCodecs.decoder(of: file).decode(file, options: options)
  }

  private static func options() -> DecodingOptions {
    var options = DecodingOptions()
    options.dynamicRange = .high
    return options
  }

  /// The light in the middle of each square of a chart.
  private static func expected(_ name: String) throws -> [SIMD4<Float>] {
    let numbers = try Fixture.data("color/\(name).half").withUnsafeBytes { bytes in
      bytes.bindMemory(to: UInt16.self).map { HalfFloat.number(UInt16(littleEndian: $0)) }
    }
    return (0..<256).map { SIMD4(numbers[$0 * 3], numbers[$0 * 3 + 1], numbers[$0 * 3 + 2], 1) }
  }

  private static func squares(of bitmap: Bitmap, to name: String) throws -> [Double] {
    let expected = try expected(name)
    return (0..<256).map { bitmap.light($0 % 16 * 4 + 1, $0 / 16 * 4 + 1).levels(to: expected[$0]) }
  }
}
