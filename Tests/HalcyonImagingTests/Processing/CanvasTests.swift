import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct CanvasTests {
  @Test(
    arguments: [
      (CropAnchor.left, [1, 2, 0, 0, 0]), (.center, [0, 0, 1, 2, 0]), (.right, [0, 0, 0, 1, 2]),
    ] as [(CropAnchor, [UInt8])])
  func `an image is placed at its anchor on a transparent canvas`(_ anchor: CropAnchor, _ expected: [UInt8]) throws {
    let extended = try BuiltInProcessor.extend(width: 5, height: 1, anchor: anchor).process(Bitmap(grays: [1, 2]))
    #expect(extended.reds == expected)
    #expect(!extended.isOpaque && extended.rows[0].map(\.w) == expected.map { $0 == 0 ? 0 : 255 })
  }

  @Test func `a canvas smaller than the image leaves it as it is, by side`() throws {
    let image = try Bitmap(grays: [1, 2, 3])
    #expect(try BuiltInProcessor.extend(width: 2, height: 0).process(image).rows == image.rows)
    #expect(try BuiltInProcessor.extend(width: 2, height: 3).process(image).size == PixelSize(width: 3, height: 3))
  }

  @Test func `padding is added on each side`() throws {
    let padded = try BuiltInProcessor.padding(top: 1, right: 2, bottom: 3, left: 4).process(Bitmap(grays: [9]))
    #expect(padded.size == PixelSize(width: 7, height: 5))
    #expect(
      padded.rows.enumerated().allSatisfy { y, row in
        row.enumerated().allSatisfy { x, pixel in
          (pixel.w == 255) == ((x, y) == (4, 1))
        }
      })
  }

  @Test func `a background makes an image opaque, in its colour space`() throws {
    let half = Pixel(50, 0, 0, 100)
    let image = try Bitmap(rows: [[half, Pixel(0, 0, 0, 0), Pixel(7, 8, 9, 255)]])
    let result = try BuiltInProcessor.background(PixelColor(red: 10, green: 200, blue: 30)).process(image)
    #expect(result.isOpaque)
    #expect(result.rows == [[Pixel(56, 122, 18, 255), Pixel(10, 200, 30, 255), Pixel(7, 8, 9, 255)]])
    let wide = try Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: false, colorSpace: .displayP3) { _ in }
    let red = try BuiltInProcessor.background(PixelColor(red: 255, green: 0, blue: 0)).process(wide)
    #expect(red.rows[0][0].x < 240 && red.rows[0][0].y > 40)
  }
}
