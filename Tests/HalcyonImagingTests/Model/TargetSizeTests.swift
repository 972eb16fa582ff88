@_spi(Programs) import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct TargetSizeTests {
  @Test(arguments: [
    (TargetSize.original, 4000, 3000, 4000, 3000),
    (.fit(width: 400, height: 400), 4000, 3000, 400, 300),
    (.fit(width: 400, height: 400), 3000, 4000, 300, 400),
    (.fit(width: 200), 4000, 3000, 200, 150), (.fit(height: 50), 100, 400, 13, 50),
    (.fit(width: 8000, height: 8000), 4000, 3000, 4000, 3000),
    (.fit(width: 1, height: 1), 10_000, 10, 1, 1),
    (.fill(width: 400, height: 400), 4000, 3000, 400, 400),
    (.fill(width: 400, height: 400), 300, 3000, 300, 300),
    (.fill(width: 200, height: 100), 4000, 3000, 200, 100),
    (.fill(width: .max, height: 1), 4000, 3000, 4000, 1),
    (.fill(width: 1, height: .max), 4000, 3000, 1, 3000),
    (.fill(width: .max, height: .max), 4000, 3000, 3000, 3000),
    (.fill(width: 400, height: 400, anchor: .top), 300, 3000, 300, 300),
    (.fill(width: 200, height: 100, anchor: .left), 4000, 3000, 200, 100),
  ])
  func `the output has the target size and is never enlarged`(
    target: TargetSize, width: Int, height: Int, expectedWidth: Int, expectedHeight: Int
  ) {
    let geometry = target.geometry(for: PixelSize(width: width, height: height))
    #expect(geometry.outputSize == PixelSize(width: expectedWidth, height: expectedHeight))
  }

  @Test func `fill crops both sides equally`() {
    let geometry = TargetSize.fill(width: 100, height: 100).geometry(for: PixelSize(width: 4000, height: 3000))
    #expect(geometry.window == PixelRectangle(x: 500, y: 0, width: 3000, height: 3000))
  }

  @Test(arguments: [
    (TargetSize.fill(width: 1, height: .max), PixelRectangle(x: 1999.5, y: 0, width: 1, height: 3000)),
    (.fill(width: .max, height: 1), PixelRectangle(x: 0, y: 1499.5, width: 4000, height: 1)),
    (.fill(width: 1, height: 9000, anchor: .left), PixelRectangle(x: 0, y: 0, width: 1, height: 3000)),
  ])
  func `a crop is not thinner than a pixel`(_ target: TargetSize, _ window: PixelRectangle) {
    #expect(target.geometry(for: PixelSize(width: 4000, height: 3000)).window == window)
  }

  @Test(arguments: [
    (CropAnchor.left, 0.0), (.right, 1000), (.center, 500), (.top, 500), (CropAnchor(x: 0.25, y: 0), 250),
    (CropAnchor(x: -3, y: 0), 0), (CropAnchor(x: .infinity, y: 0), 1000), (CropAnchor(x: .nan, y: .nan), 500),
  ])
  func `a crop keeps the part at its anchor`(_ anchor: CropAnchor, _ left: Double) {
    let size = PixelSize(width: 4000, height: 3000)
    let geometry = TargetSize.fill(width: 100, height: 100, anchor: anchor).geometry(for: size)
    #expect(geometry.window == PixelRectangle(x: left, y: 0, width: 3000, height: 3000))
    let upright = TargetSize.fill(width: 100, height: 100, anchor: CropAnchor(x: anchor.y, y: anchor.x))
    #expect(upright.geometry(for: size.transposed).window.y == left)
  }

  @Test func `an exact size may enlarge and change the aspect ratio`() {
    let geometry = TargetSize.exact(width: 100, height: 7).geometry(for: PixelSize(width: 10, height: 10))
    #expect(geometry.outputSize == PixelSize(width: 100, height: 7))
    #expect(geometry.window == PixelRectangle(x: 0, y: 0, width: 10, height: 10))
  }

  @Test(arguments: [(100, 7, 10, 7), (4, 40, 4, 10), (100, 100, 10, 10), (3, 3, 3, 3)])
  func `a stretched size changes the aspect ratio but enlarges neither side`(
    width: Int, height: Int, resultWidth: Int, resultHeight: Int
  ) {
    let geometry = TargetSize.exact(width: width, height: height, enlarges: false).geometry(
      for: PixelSize(width: 10, height: 10))
    #expect(geometry.outputSize == PixelSize(width: resultWidth, height: resultHeight))
    #expect(geometry.window == PixelRectangle(x: 0, y: 0, width: 10, height: 10))
  }

  @Test(arguments: [(30, 10, 30, 10), (3000, 1000, 30, 10), (1000, 3000, 10, 30), (3000, 5, 3000, 5), (3, 3, 3, 3)])
  func `a covering size keeps the whole image and its aspect ratio, and enlarges nothing`(
    width: Int, height: Int, resultWidth: Int, resultHeight: Int
  ) {
    let geometry = TargetSize.cover(width: 10, height: 10).geometry(for: PixelSize(width: width, height: height))
    #expect(geometry.outputSize == PixelSize(width: resultWidth, height: resultHeight))
    #expect(geometry.window == PixelRectangle(x: 0, y: 0, width: Double(width), height: Double(height)))
    #expect(!TargetSize.cover(width: 0, height: 10).isValid)
  }

  @Test func `different targets have different descriptions`() {
    let targets: [TargetSize] = [
      .original, .fit(width: 4, height: 4), .fill(width: 4, height: 4), .exact(width: 4, height: 4),
      .fill(width: 4, height: 4, anchor: .top), .fill(width: 4, height: 4, anchor: .left),
      .exact(width: 4, height: 4, enlarges: false), .fit(width: 4), .fit(height: 4), .cover(width: 4, height: 4),
    ]
    #expect(Set(targets.map(\.description)).count == targets.count)
  }

  @Test func `the description has no number for a side without a limit`() {
    #expect([TargetSize.fit(width: 400), .fit(height: 300)].map(\.description) == ["fit 400x", "fit x300"])
  }

  @Test(arguments: [
    TargetSize.exact(width: 0, height: 5), .exact(width: 5, height: -5), .fill(width: 0, height: 1, anchor: .top),
    TargetSize.fit(width: 0), .fit(width: 1, height: -1), .fill(width: 0, height: 0),
    .fill(width: .min, height: 1), .exact(width: 0, height: 2, enlarges: false),
  ])
  func `a side below one is invalid, and its result has no pixels`(target: TargetSize) {
    #expect(!target.isValid)
    #expect(target.size(for: PixelSize(width: 40, height: 30)) == PixelSize(width: 0, height: 0))
  }

  @Test(arguments: [
    TargetSize.original, .fit(width: .max, height: .max), .fit(width: 1, height: 1), .fill(width: .max, height: 1),
    .fill(width: .max, height: .max), .exact(width: .max, height: 1), .exact(width: .max, height: 1, enlarges: false),
  ])
  func `no size of an image ends the program`(target: TargetSize) {
    for width in [Int.min, -1, 0, 1, 1000, .max] {
      for height in [Int.min, 0, 1, .max] {
        let size = target.size(for: PixelSize(width: width, height: height))
        let hasPixels = width > 0 && height > 0
        #expect((size.width > 0 && size.height > 0) == hasPixels, "\(target) of \(width)x\(height)")
      }
    }
  }

  @Test func `the pixel count saturates on overflow`() {
    #expect(PixelSize(width: .max, height: 2).pixelCount == .max)
  }
}
