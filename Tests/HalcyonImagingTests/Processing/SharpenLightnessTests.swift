import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct SharpenLightnessTests {
  /// Blocks of colours with a gradient of blue.
  private func scene() throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 12, height: 9), isOpaque: true) { bytes in
      for index in 0..<12 * 9 {
        let (x, y) = (index % 12, index / 12)
        let color = [x < 5 ? 40 : 200, y < 4 ? 60 : 180, x * 20 % 256, 255]
        for channel in 0..<4 { bytes[index * 4 + channel] = UInt8(color[channel]) }
      }
    }
  }

  /// The pixels of libvips 8.17 at some places.
  @Test(
    arguments: [
      (0.4, [[40, 60, 0], [40, 60, 80], [200, 60, 100], [40, 180, 80], [200, 60, 100], [200, 180, 160]]),
      (0.5, [[40, 60, 0], [36, 57, 76], [205, 65, 105], [58, 192, 92], [200, 60, 100], [208, 187, 167]]),
      (1, [[40, 60, 0], [0, 17, 36], [227, 85, 121], [77, 208, 105], [197, 58, 98], [228, 208, 187]]),
      (2, [[40, 60, 0], [0, 17, 36], [202, 61, 101], [77, 208, 105], [185, 45, 88], [228, 208, 187]]),
    ] as [(Double, [[Int]])])
  func `the lightness is sharpened as by libvips`(sigma: Double, expected: [[Int]]) throws {
    let result = try SharpenLightnessProcessor(sigma: sigma).process(scene())
    for ((x, y), color) in zip([(0, 0), (4, 2), (5, 2), (4, 4), (5, 3), (8, 4)], expected) {
      let pixel = result[x, y]
      for (value, expected) in zip([pixel.red, pixel.green, pixel.blue], color) {
        #expect(abs(Int(value) - expected) <= 4, "\(x), \(y): \(pixel) instead of \(color)")
      }
    }
  }

  @Test func `alpha stays, and flat areas are left alone`() throws {
    let flat = try Bitmap(size: PixelSize(width: 5, height: 5), isOpaque: false) { bytes in
      for index in 0..<25 { bytes[index * 4 + 3] = index == 12 ? 100 : 0 }
    }
    let result = try SharpenLightnessProcessor(sigma: 1).process(flat)
    #expect((0..<25).allSatisfy { result[$0 % 5, $0 / 5] == flat[$0 % 5, $0 / 5] })
  }
}
