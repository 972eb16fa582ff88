import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonViews
import Testing

@Suite(.unitTest)
struct ZoomGeometryTests {
  private static func geometry(
    _ width: Int, _ height: Int, in viewWidth: Int, _ viewHeight: Int, _ range: ClosedRange<Double>? = nil
  ) -> ZoomGeometry {
    ZoomGeometry(
      imageSize: PixelSize(width: width, height: height), viewSize: PixelSize(width: viewWidth, height: viewHeight),
      allowedRange: range)
  }

  private static func place(_ point: ZoomGeometry.Point, in geometry: ZoomGeometry) -> ZoomGeometry.Point {
    let (centre, middle) = (geometry.centre, geometry.middle)
    return ZoomGeometry.Point(
      x: centre.x + (point.x - middle.x) / geometry.zoom, y: centre.y + (point.y - middle.y) / geometry.zoom)
  }

  @Test(arguments: [
    (geometry(200, 100, in: 100, 100), PixelRectangle(x: 0, y: 25, width: 100, height: 50)),
    (geometry(100, 400, in: 100, 200), PixelRectangle(x: 25, y: 0, width: 50, height: 200)),
    (geometry(10, 10, in: 100, 50), PixelRectangle(x: 25, y: 0, width: 50, height: 50)),
    (geometry(0, 0, in: 0, 0), PixelRectangle(x: 0, y: 0, width: 1, height: 1)),
  ])
  func `the whole picture is shown first, in the middle`(geometry: ZoomGeometry, rectangle: PixelRectangle) {
    #expect(geometry.rectangle == rectangle)
    #expect(geometry.isFitting && !geometry.canPan)
    let visible = geometry.visibleRectangle
    #expect(visible.x == 0 && visible.y == 0)
    #expect(abs(visible.width - Double(geometry.imageSize.width)) < 1e-9)
    #expect(abs(visible.height - Double(geometry.imageSize.height)) < 1e-9)
  }

  @Test func `the place under the pointer stays unless an edge would come into the view`() {
    var random = SplitMix(state: 1)
    var geometry = Self.geometry(16_000, 12_500, in: 1120, 760)
    var stayed = 0
    for _ in 0..<500 {
      let point = ZoomGeometry.Point(x: .random(in: 0...1120, using: &random), y: .random(in: 0...760, using: &random))
      let before = Self.place(point, in: geometry)
      geometry.zoom(to: geometry.zoom * .random(in: 0.5...2, using: &random), around: point)
      let (after, rectangle) = (Self.place(point, in: geometry), geometry.rectangle)
      let isAtEdge =
        rectangle.x > -1 || rectangle.y > -1 || rectangle.x + rectangle.width < 1121
        || rectangle.y + rectangle.height < 761
      if isAtEdge { continue }
      stayed += 1
      #expect(abs(before.x - after.x) < 1e-6 && abs(before.y - after.y) < 1e-6)
    }
    #expect(stayed > 100)
  }

  @Test func `no edge of a larger picture is inside the view, and a smaller side is in the middle`() {
    var geometry = Self.geometry(4000, 300, in: 1000, 1000)
    geometry.zoom(to: 1, around: geometry.middle)
    geometry.pan(x: 1e9, y: 1e9)
    #expect(geometry.rectangle == PixelRectangle(x: 0, y: 350, width: 4000, height: 300))
    #expect(geometry.canPan)
    geometry.pan(x: -1e9, y: -1e9)
    #expect(geometry.rectangle == PixelRectangle(x: -3000, y: 350, width: 4000, height: 300))
    // Back at once: what was beyond the edge is not collected.
    geometry.pan(x: 10, y: 0)
    #expect(geometry.rectangle.x == -2990)
    geometry.centre = ZoomGeometry.Point(x: .nan, y: .infinity)
    #expect(geometry.centre == ZoomGeometry.Point(x: 2000, y: 150))
    var high = Self.geometry(300, 4000, in: 1000, 1000)
    high.zoom(to: 1, around: high.middle)
    #expect(high.canPan)
  }

  /// The range of a program, a zoom, and the zoom that is shown.
  @Test(
    arguments: [
      (nil, 4.0, 4.0), (nil, 100, 8), (nil, 0.01, 0.25), (nil, .nan, 0.25), (nil, .infinity, 8), (0.5...2, 0.1, 0.5),
      (0.5...2, 3, 2), (0.1...0.2, 1, 0.2), (0.1...0.2, 0.15, 0.15), (-1...0.0, 1, 1e-4), (1...1e9, 1e9, 1e4),
    ] as [(ClosedRange<Double>?, Double, Double)])
  func `the zoom is clamped to its range`(range: ClosedRange<Double>?, zoom: Double, shown: Double) {
    var geometry = Self.geometry(400, 400, in: 100, 100, range)
    geometry.zoom(to: zoom, around: geometry.middle)
    #expect(geometry.zoom == shown)
  }

  @Test func `a small picture can still be enlarged`() {
    #expect(Self.geometry(10, 10, in: 1000, 1000).range == 100...200)
  }

  @Test func `the whole picture stays whole in a view of another size, and a part keeps its zoom and its middle`() {
    var geometry = Self.geometry(4000, 4000, in: 1000, 1000)
    geometry.resize(to: PixelSize(width: 500, height: 800))
    #expect(geometry.zoom == 0.125)
    geometry.zoom(to: 2, around: geometry.middle)
    geometry.centre = ZoomGeometry.Point(x: 1000, y: 3000)
    geometry.resize(to: PixelSize(width: 1000, height: 300))
    #expect(geometry.zoom == 2 && geometry.centre == ZoomGeometry.Point(x: 1000, y: 3000))
    geometry.fit()
    #expect(geometry.isFitting && geometry.zoom == 0.075)
    geometry.zoom(to: 2, around: geometry.middle)
    geometry.zoom(to: 0, around: geometry.middle)
    #expect(geometry.isFitting)
  }

  @Test func `a place beyond an edge is that at the edge, also when the view becomes smaller`() {
    var geometry = ZoomGeometry(
      imageSize: PixelSize(width: 1000, height: 1000), viewSize: PixelSize(width: 400, height: 400))
    geometry.zoom(to: 1, around: geometry.middle)
    geometry.centre = ZoomGeometry.Point(x: 5000, y: -5000)
    #expect(geometry.centre == ZoomGeometry.Point(x: 800, y: 200))
    geometry.resize(to: PixelSize(width: 200, height: 200))
    #expect(geometry.centre == ZoomGeometry.Point(x: 800, y: 200))
  }

  @Test func `a version with other pixels is shown at the same place and size`() {
    var geometry = Self.geometry(1000, 500, in: 100, 100)
    geometry.zoom(to: 1, around: geometry.middle)
    geometry.centre = ZoomGeometry.Point(x: 300, y: 200)
    let other = geometry.scaled(to: PixelSize(width: 4000, height: 2000))
    #expect(other.rectangle == geometry.rectangle)
    #expect(other.zoom == 0.25 && other.centre == ZoomGeometry.Point(x: 1200, y: 800))
    let part = PixelArea(left: 1200, top: 800, width: 400, height: 200)
    #expect(other.rectangle(of: part) == PixelRectangle(x: 50, y: 50, width: 100, height: 50))
    let limited = Self.geometry(100, 100, in: 10, 10, 0.5...2).scaled(to: PixelSize(width: 200, height: 200))
    #expect(limited.allowedRange == 0.5...2)
  }

  @Test(arguments: [(0.0, 0.0, 0.0), (30, 0, 0), (400, 0, 95), (0, -4000, 995), (3000, 4000, 1245)])
  func `a pan after a gesture slows down to its end`(x: Double, y: Double, length: Double) {
    let pan = KineticPan(velocity: ZoomGeometry.Point(x: x, y: y))
    #expect(pan.duration == 0 || pan.duration > 0.5)
    let ways = (0...20).map { step in
      let way = pan.way(after: pan.duration * Double(step) / 20)
      return (way.x * way.x + way.y * way.y).squareRoot()
    }
    #expect(ways == ways.sorted() && ways[0] == 0)
    #expect(abs(ways[20] - length) < 0.001)
    #expect(pan.way(after: 100) == pan.way(after: pan.duration))
    #expect(pan.way(after: -1) == ZoomGeometry.Point(x: 0, y: 0))
  }
}
