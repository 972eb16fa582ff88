import HalcyonImaging
import Testing

struct BlendModeTests {
  /// Of the image 0.2 and 0.8 in opaque grey, under what is drawn: 0.4, then 0.6 (the formulas of W3C Compositing and
  /// Blending 1, section 9.1, by hand).
  static let expectations: [(BlendMode, [UInt8])] = [
    (.normal, [102, 153]), (.multiply, [20, 122]), (.screen, [133, 235]), (.overlay, [41, 214]), (.darken, [51, 153]),
    (.lighten, [102, 204]), (.colorDodge, [85, 255]), (.colorBurn, [0, 170]), (.hardLight, [41, 214]),
    (.softLight, [43, 209]), (.difference, [51, 51]), (.exclusion, [112, 112]),
  ]

  @Test(arguments: expectations)
  func `modes blend by their formula`(_ mode: BlendMode, _ expected: [UInt8]) throws {
    let drawn = try WatermarkProcessor(Bitmap(grays: [102, 153]), blendMode: mode).process(Bitmap(grays: [51, 204]))
    #expect(drawn.reds == expected)
  }

  @Test(arguments: BlendMode.allCases)
  func `over nothing, every mode draws the source as it is`(_ mode: BlendMode) throws {
    let mark = try Bitmap.noise(width: 9, height: 9)
    let ground = try Bitmap(rows: Array(repeating: Array(repeating: .zero, count: 9), count: 9))
    #expect(try WatermarkProcessor(mark, blendMode: mode).process(ground).rows == mark.rows)
    #expect(try WatermarkProcessor(ground, blendMode: mode).process(mark).rows == mark.rows)
  }

  @Test(arguments: BlendMode.allCases)
  func `no mode leaves a colour above alpha`(_ mode: BlendMode) throws {
    let processor = try WatermarkProcessor(Bitmap.noise(width: 40, height: 40, seed: 3), opacity: 0.9, blendMode: mode)
    let pixels = try processor.process(Bitmap.noise(width: 40, height: 40, seed: 4)).rows.joined()
    #expect(pixels.allSatisfy { max($0.x, $0.y, $0.z) <= $0.w })
  }

  @Test func `an opaque overlay is what the mode gives`() throws {
    for (mode, expected) in Self.expectations {
      let color = PixelColor(red: 102, green: 102, blue: 102)
      #expect(try OverlayProcessor(color, blendMode: mode).process(Bitmap(grays: [51])).reds == [expected[0]])
    }
  }
}
