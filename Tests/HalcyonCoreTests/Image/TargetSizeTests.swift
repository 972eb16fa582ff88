import HalcyonCore
import Testing

struct TargetSizeTests {
  @Test(arguments: [
    (TargetSize.original, 4000, 3000, 4000, 3000),
    (.fit(width: 400, height: 400), 4000, 3000, 400, 300),
    (.fit(width: 400, height: 400), 3000, 4000, 300, 400),
    (.fit(width: 200, height: .max), 4000, 3000, 200, 150),
    (.fit(width: 8000, height: 8000), 4000, 3000, 4000, 3000),
    (.fit(width: 1, height: 1), 10_000, 10, 1, 1),
    (.fill(width: 400, height: 400), 4000, 3000, 400, 400),
    (.fill(width: 400, height: 400), 300, 3000, 300, 300),
    (.fill(width: 200, height: 100), 4000, 3000, 200, 100),
  ])
  func `the output has the size asked for and is never enlarged`(
    target: TargetSize, width: Int, height: Int, expectedWidth: Int, expectedHeight: Int
  ) {
    let geometry = target.geometry(for: PixelSize(width: width, height: height))
    #expect(geometry.outputSize == PixelSize(width: expectedWidth, height: expectedHeight))
  }

  @Test func `fill cuts evenly on both sides`() {
    let geometry = TargetSize.fill(width: 100, height: 100).geometry(for: PixelSize(width: 4000, height: 3000))
    #expect(geometry.window == PixelRectangle(x: 500, y: 0, width: 3000, height: 3000))
  }

  @Test(arguments: [
    TargetSize.fit(width: 0, height: 1), .fit(width: 1, height: -1), .fill(width: 0, height: 0),
    .fill(width: .min, height: 1),
  ])
  func `a side below one is invalid`(target: TargetSize) {
    #expect(!target.isValid)
  }

  @Test func `the pixel count of a size that cannot be is the largest number`() {
    #expect(PixelSize(width: .max, height: 2).pixelCount == .max)
  }
}
