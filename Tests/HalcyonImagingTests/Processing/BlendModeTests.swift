import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct BlendModeTests {
  /// The results for opaque greys, computed from W3C Compositing and Blending 1, section 9.1.
  static let backdrop: [UInt8] = [51, 204, 51, 0, 255]
  static let source: [UInt8] = [102, 153, 153, 255, 0]
  static let expectations: [(BlendMode, [UInt8])] = [
    (.normal, [102, 153, 153, 255, 0]), (.multiply, [20, 122, 31, 0, 0]),
    (.screen, [133, 235, 173, 255, 255]), (.overlay, [41, 214, 61, 0, 255]),
    (.darken, [51, 153, 51, 0, 0]), (.lighten, [102, 204, 153, 255, 255]),
    (.colorDodge, [85, 255, 128, 0, 255]), (.colorBurn, [0, 170, 0, 0, 255]),
    (.hardLight, [41, 214, 92, 255, 0]), (.softLight, [43, 209, 64, 0, 255]),
    (.difference, [51, 51, 102, 255, 255]), (.exclusion, [112, 112, 143, 255, 255]),
  ]

  @Test(arguments: expectations)
  func `blend modes follow the formulas of the specification`(_ mode: BlendMode, _ expected: [UInt8]) throws {
    let drawn = try BuiltInProcessor.watermark(Bitmap(grays: Self.source), blendMode: mode).process(
      Bitmap(grays: Self.backdrop))
    #expect(drawn.reds == expected)
  }

  @Test(arguments: BlendMode.allCases)
  func `over a transparent backdrop every mode draws the source unchanged`(_ mode: BlendMode) throws {
    let mark = try Bitmap.noise(width: 9, height: 9)
    let backdrop = try Bitmap(rows: Array(repeating: Array(repeating: .zero, count: 9), count: 9))
    #expect(try BuiltInProcessor.watermark(mark, blendMode: mode).process(backdrop).rows == mark.rows)
    #expect(try BuiltInProcessor.watermark(backdrop, blendMode: mode).process(mark).rows == mark.rows)
  }

  @Test(arguments: BlendMode.allCases)
  func `no premultiplied component exceeds alpha in any mode`(_ mode: BlendMode) throws {
    let processor = try BuiltInProcessor.watermark(
      Bitmap.noise(width: 40, height: 40, seed: 3), opacity: 0.9, blendMode: mode)
    let pixels = try processor.process(Bitmap.noise(width: 40, height: 40, seed: 4)).rows.joined()
    #expect(pixels.allSatisfy { max($0.x, $0.y, $0.z) <= $0.w })
  }

  @Test func `an opaque overlay gives the result of the blend mode`() throws {
    for (mode, expected) in Self.expectations {
      let color = PixelColor(red: 102, green: 102, blue: 102)
      #expect(try BuiltInProcessor.overlay(color, blendMode: mode).process(Bitmap(grays: [51])).reds == [expected[0]])
    }
  }
}
