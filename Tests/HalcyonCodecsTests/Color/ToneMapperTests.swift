#if !IMAGEIO
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

@Suite(.unitTest)
struct ToneMapperTests {
  private static let ranges = [(9, 16, 1000), (12, 16, 600), (9, 16, 4000), (9, 18, 1000), (1, 18, 1000)].compactMap {
    HighDynamicRange(primaries: $0.0, transfer: $0.1)?.with(ContentLight(contentPeak: $0.2))
  }

  /// Samples of all levels, in an order without a period.
  private static func samples(_ count: Int, of depth: Int) -> [UInt16] {
    (0..<count).map { UInt16(truncatingIfNeeded: ($0 * 40_503) >> 3) & UInt16(1 << depth - 1) }
  }

  @Test(arguments: ranges, [1, 3, 127, 128, 129, 700])
  func `a row of planes is mapped like its pixels`(_ range: HighDynamicRange, _ count: Int) {
    let mapper = ToneMapper(range)
    let samples = Self.samples(4 * count, of: range.sampleDepth)
    for planeCount in [3, 4] {
      samples.withUnsafeBufferPointer { samples in
        let planes = (0..<planeCount).compactMap { plane in samples.baseAddress.map { $0 + plane * count } }
        var row = [UInt32](repeating: 0, count: count)
        mapper.convert(planes, count: count, into: &row)
        for column in 0..<count {
          var pixel: UInt32 = 0
          mapper.convert(planes.map { $0 + column }, count: 1, into: &pixel)
          #expect(pixel == row[column])
        }
      }
    }
  }

  @Test(arguments: ranges)
  func `a row of pixels is mapped like its planes`(_ range: HighDynamicRange) {
    let (mapper, count) = (ToneMapper(range), 301)
    let samples = Self.samples(3 * count, of: range.sampleDepth)
    var row = [UInt32](repeating: 0, count: count)
    samples.withUnsafeBufferPointer { samples in
      let planes = (0..<3).compactMap { plane in samples.baseAddress.map { $0 + plane * count } }
      mapper.convert(planes, count: count, into: &row)
    }
    let expected = row.flatMap { [UInt8($0 & 255), UInt8($0 >> 8 & 255), UInt8($0 >> 16 & 255)] }
    func colors(_ pixels: [UInt8]) -> [UInt8] { pixels.indices.filter { $0 % 4 < 3 }.map { pixels[$0] } }
    var mapped = [UInt8](repeating: 0, count: 4 * count)

    let (deep, opacities) = (samples.map { $0 << 4 | $0 >> 8 }, (0..<count).map { UInt16($0 * 200) })
    let pixels = (0..<count).flatMap { column -> [UInt16] in
      [deep[column], deep[count + column], deep[2 * count + column], opacities[column]]
    }
    mapper.convert(pixels, count: count, to: &mapped)
    #expect(colors(mapped) == expected)
    for (column, opacity) in opacities.enumerated() {
      #expect(mapped[column * 4 + 3] == UInt8((Int(opacity) * 255 + 32_767) / 65_535))
    }

    let numbers = samples.map { Float($0) / 4095 }
    for isPremultiplied in [false, true] {
      let alphas = (1...count).map { Float($0) / Float(count) }
      let pixels = (0..<count).flatMap { column -> [Float] in
        let (alpha, scale) = (alphas[column], isPremultiplied ? alphas[column] : 1)
        return [numbers[column] * scale, numbers[count + column] * scale, numbers[2 * count + column] * scale, alpha]
      }
      mapper.convert(pixels, isPremultiplied: isPremultiplied, count: count, to: &mapped)
      #expect(colors(mapped) == expected)
      for (column, alpha) in alphas.enumerated() { #expect(abs(Float(mapped[column * 4 + 3]) - 255 * alpha) <= 0.51) }
    }
  }

  @Test func `numbers outside 0 to 1 count as these`() throws {
    let mapper = ToneMapper(try #require(Self.ranges.first))
    let pixels: [Float] = [-1, 2, .nan, 3, 1, 1, 1, 0, .infinity, -.infinity, 0, -1]
    var (straight, premultiplied) = ([UInt8](repeating: 9, count: 12), [UInt8](repeating: 9, count: 12))
    mapper.convert(pixels, isPremultiplied: false, count: 3, to: &straight)
    mapper.convert(pixels, isPremultiplied: true, count: 3, to: &premultiplied)
    var limited = [UInt8](repeating: 9, count: 12)
    mapper.convert([0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0], isPremultiplied: false, count: 3, to: &limited)
    #expect(straight == limited)
    #expect(premultiplied[3] == 255 && premultiplied[7] == 0 && premultiplied[11] == 0)
  }

  @Test(arguments: [1.0, 100, 203, 204, 1000], [(1, 16), (9, 16), (10, 16), (12, 16), (9, 18)])
  func `pixels over the peak that a file states are bright`(_ peak: Double, _ codes: (Int, Int)) throws {
    let signal = try #require(HighDynamicRange(primaries: codes.0, transfer: codes.1))
    let mapper = ToneMapper(signal.with(ContentLight(contentPeak: peak)))
    let levels: [UInt16] = [0, 2048, 4095]
    let colors = levels.flatMap { red in levels.flatMap { green in levels.map { [red, green, $0] } } }
    for color in colors where color.contains(4095) {
      var pixel: UInt32 = 0
      color.withUnsafeBufferPointer { samples in
        let planes = (0..<3).compactMap { plane in samples.baseAddress.map { $0 + plane } }
        mapper.convert(planes, count: 1, into: &pixel)
      }
      let shown = (0..<3).map { pixel >> (8 * $0) & 255 }
      #expect(shown.max() ?? 0 > 200, "\(color) became \(shown)")
    }
  }

  @Test(arguments: ranges)
  func `greys are greys, and none is darker than a lower one`(_ range: HighDynamicRange) {
    let samples = (0..<UInt16(1 << range.sampleDepth)).map { $0 }
    var row = [UInt32](repeating: 0, count: samples.count)
    samples.withUnsafeBufferPointer { samples in
      guard let start = samples.baseAddress else { return }
      ToneMapper(range).convert([start, start, start], count: samples.count, into: &row)
    }
    let greys = row.map { SIMD3($0 & 255, $0 >> 8 & 255, $0 >> 16 & 255) }
    #expect(greys.allSatisfy { $0.max() - $0.min() <= 1 })
    #expect(greys[0] == .zero && greys[greys.count - 1] == SIMD3(repeating: 255))
    #expect(zip(greys, greys.dropFirst()).allSatisfy { $0.y <= $1.y })
  }

  @Test func `a table is as exact as its steps, and numbers outside count as its first and last`() {
    let table = LogarithmicTable(from: 0.25, octaves: 4, precision: 6) { $0 }
    for number in stride(from: Float(0.25), to: 4, by: 0.003) {
      #expect(abs(table.values[Int(table.index(of: number))] - number) <= number / 64)
    }
    #expect(table.values[Int(table.index(of: 0.25))] == 0.25)
    for low in [-Float.infinity, -1, 0, 0.1, .nan] { #expect(table.index(of: low) == 0) }
    for high in [4, 1e30, Float.infinity] { #expect(Int(table.index(of: high)) == table.values.count - 1) }
  }
}
#endif
