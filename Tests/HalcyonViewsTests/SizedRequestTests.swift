import Foundation
@_spi(Programs) import HalcyonImaging
import HalcyonPipeline
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonViews

/// Which size a view needs, and which images are too small or too large for it.
@Suite(.unitTest)
@MainActor
struct SizedRequestTests {
  private func space(_ width: Double, _ height: Double, scale: Double = 1, mode: ImageDisplayMode = .fit)
    -> DisplaySpace?
  {
    let display = RecordingDisplay()
    (display.displaySize, display.displayMode) = (ViewSize(width: width, height: height), mode)
    display.screenSize = ViewSize(width: 1000, height: 800)
    return DisplaySpace(display, scale: scale)
  }

  private func sized(_ width: Double, _ height: Double, mode: ImageDisplayMode = .fit) throws -> SizedRequest {
    let request = ImageRequest(source: .string("https://example.com/a"))
    return SizedRequest(request, in: try #require(space(width, height, mode: mode)))
  }

  private func image(_ width: Int, _ height: Int, of file: PixelSize? = nil, _ format: ImageFormat = .bmp) throws
    -> DecodedImage
  {
    let image = try solidImage(width, height)
    return DecodedImage(bitmap: image.bitmap, info: ImageInfo(format: format, storedSize: file ?? image.size))
  }

  nonisolated private static let sides: [(points: Double, scale: Double, pixels: Int?)] = [
    (33.3, 3, 100), (100.0001, 1, 100), (100.01, 1, 101), (0.2, 1, 1), (0, 1, nil), (-5, 1, nil), (5, 0, nil),
    (5, -1, nil), (-5, -1, nil), (Double.infinity, 1, nil), (Double.nan, 1, nil), (5e6, 1, 1_000_000),
    (1e300, 1e300, nil),
  ]

  @Test(arguments: sides)
  func `a side in points is rounded up to pixels`(points: Double, scale: Double, pixels: Int?) {
    #expect(PixelSize(ViewSize(width: points, height: 10), scale: scale)?.width == pixels)
    #expect(PixelSize(ViewSize(width: 10, height: points), scale: scale)?.height == pixels)
  }

  /// The sides of a view in points at a scale of 2, and the size at which an image is decoded for it.
  nonisolated private static let targets:
    [(width: Double, height: Double, mode: ImageDisplayMode, target: TargetSize)] = [
      (40, 20, ImageDisplayMode.fit, TargetSize.fit(width: 80, height: 40)),
      (40, 20, ImageDisplayMode.fill, TargetSize.fill(width: 80, height: 40)),
      (40, 20, ImageDisplayMode.stretch, TargetSize.cover(width: 80, height: 40)),
      (40, 0, ImageDisplayMode.fill, TargetSize.fit(width: 80)),
      (0, 20, ImageDisplayMode.fill, TargetSize.fit(height: 40)),
      (0, 0, ImageDisplayMode.fill, TargetSize.fit(width: 2000, height: 1600)),
    ]

  @Test(arguments: targets)
  func `an image is decoded for the sides that a view has, or for its screen`(
    width: Double, height: Double, mode: ImageDisplayMode, target: TargetSize
  ) {
    let space = space(width, height, scale: 2, mode: mode)
    #expect(space?.target == target)
    #expect(space?.isOpen == (width == 0 || height == 0))
  }

  /// The sides of a view, and those that it had.
  nonisolated private static let changes: [([Double], [Double], Bool)] = [
    ([50, 50], [50, 50], false), ([51, 50], [50, 50], true), ([50, 51], [50, 50], true), ([10, 60], [50, 50], true),
    ([40, 40], [50, 50], false), ([60, 60], [0, 50], true), ([60, 60], [0, 0], true), ([20, 20], [0, 0], false),
    ([0, 0], [50, 50], true),
  ]

  @Test(arguments: changes)
  func `a view is larger than before if one of its sides is, or than the image if it had no sides`(
    sides: [Double], oldSides: [Double], isLarger: Bool
  ) throws {
    let (new, old) = (try sized(sides[0], sides[1]), try sized(oldSides[0], oldSides[1]))
    #expect(new.isLarger(than: old, showing: try image(30, 30)) == isLarger)
    let unsized = SizedRequest(request: new.request)
    #expect(!unsized.isLarger(than: old, showing: try image(1, 1)))
    #expect(!new.isLarger(than: unsized, showing: try image(1, 1)))
  }

  nonisolated private static let modes: [(ImageDisplayMode, ImageDisplayMode, Bool)] = [
    (.fit, .fit, false), (.fill, .fill, false), (.stretch, .stretch, false), (.fit, .fill, true),
    (.fill, .stretch, true), (.stretch, .fit, true),
  ]

  @Test(arguments: modes)
  func `another mode is another image, unless a view has no sides`(
    mode: ImageDisplayMode, other: ImageDisplayMode, differs: Bool
  ) throws {
    let (new, old) = (try sized(50, 50, mode: mode), try sized(50, 50, mode: other))
    #expect(new.differsInMode(from: old) == differs)
    #expect(try !new.differsInMode(from: sized(0, 0)))
    #expect(try !sized(0, 0).differsInMode(from: old))
    #expect(!SizedRequest(request: new.request).differsInMode(from: old))
  }

  @Test func `a view needs less than an image of over twice its pixels`() throws {
    let request = try sized(50, 40)
    #expect(try !request.needsLess(than: image(50, 80)))
    #expect(try request.needsLess(than: image(50, 81)))
    #expect(try !SizedRequest(request: request.request).needsLess(than: image(500, 800)))
  }

  @Test func `an image is downsampled if its file has more pixels, or any number`() throws {
    var request = try sized(50, 40)
    let file = PixelSize(width: 60, height: 30)
    #expect(try !request.isDownsampled(image(60, 30, of: file)))
    #expect(try request.isDownsampled(image(59, 30, of: file)))
    #expect(try request.isDownsampled(image(60, 29, of: file)))
    #expect(try request.isDownsampled(image(60, 30, of: file, .svg)))
    var stored = try image(60, 30, of: file)
    stored.facts.isStoredVariant = true
    #expect(request.isDownsampled(stored))
    request.request.region = PixelArea(left: 0, top: 0, width: 20, height: 30)
    #expect(try !request.isDownsampled(image(20, 30, of: file)))
    #expect(try request.isDownsampled(image(19, 30, of: file)))
  }

  @Test func `the natural size of an image is that of its file, as far as the view shows it`() throws {
    let file = PixelSize(width: 400, height: 200)
    #expect(try sized(100, 100).naturalSize(of: image(100, 50, of: file)) == file)
    #expect(
      try sized(100, 100, mode: .fill).naturalSize(of: image(100, 100, of: file)) == PixelSize(width: 200, height: 200))
    // A processor has rotated it.
    #expect(try sized(100, 100).naturalSize(of: image(50, 100, of: file)) == PixelSize(width: 200, height: 400))
    #expect(try sized(100, 100).naturalSize(of: image(7, 9, of: file, .svg)) == file)
    var part = try sized(100, 100)
    part.request.region = PixelArea(left: 0, top: 0, width: 200, height: 100)
    #expect(part.naturalSize(of: try image(100, 50, of: file)) == PixelSize(width: 200, height: 100))
    #expect(try SizedRequest(request: sized(9, 9).request).naturalSize(of: image(9, 9)) == nil)
  }
}
