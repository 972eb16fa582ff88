package import HalcyonImaging
import Foundation
import HalcyonSupport

/// The part of a picture that a zoomed view shows.
///
/// Places in the view are in device pixels, places in the picture in pixels of the whole upright picture.
package struct ZoomGeometry: Hashable, Sendable {
  /// A place in the view or in the picture.
  package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// The size of the picture; both sides at least 1.
  package let imageSize: PixelSize
  /// The size of the view; both sides at least 1.
  package private(set) var viewSize: PixelSize
  /// The least and the largest zoom; `nil` for the one at which the picture fits, and 8 or the double of that.
  package var allowedRange: ClosedRange<Double>?

  /// `nil` while the whole picture fits, whatever the size of the view is.
  private var chosenZoom: Double?
  private var chosenCentre: Point

  /// The geometry that shows the whole picture.
  package init(imageSize: PixelSize, viewSize: PixelSize, allowedRange: ClosedRange<Double>? = nil) {
    self.imageSize = PixelSize(width: max(1, imageSize.width), height: max(1, imageSize.height))
    self.viewSize = PixelSize(width: max(1, viewSize.width), height: max(1, viewSize.height))
    self.allowedRange = allowedRange
    chosenCentre = Point(x: Double(imageSize.width) / 2, y: Double(imageSize.height) / 2)
  }

  /// The zoom at which the picture touches two sides of the view.
  package var fittingZoom: Double {
    min(Double(viewSize.width) / Double(imageSize.width), Double(viewSize.height) / Double(imageSize.height))
  }

  /// The least and the largest zoom.
  package var range: ClosedRange<Double> {
    allowedRange?.clamped(to: 1e-4...1e4) ?? fittingZoom...max(8, 2 * fittingZoom)
  }

  /// Device pixels for each pixel of the picture.
  package var zoom: Double { (chosenZoom ?? fittingZoom).clamped(to: range, nan: range.lowerBound) }

  /// Whether the view follows its size, so that the whole picture fits.
  package var isFitting: Bool { chosenZoom == nil }

  /// Whether the picture is larger than the view.
  package var canPan: Bool {
    Double(imageSize.width) * zoom > Double(viewSize.width) + 0.5
      || Double(imageSize.height) * zoom > Double(viewSize.height) + 0.5
  }

  /// The place of the picture in the middle of the view; no further out than an edge of the picture at one of the view.
  package var centre: Point {
    get {
      Point(
        x: Self.centre(chosenCentre.x, imageSize.width, shown: Double(viewSize.width) / zoom),
        y: Self.centre(chosenCentre.y, imageSize.height, shown: Double(viewSize.height) / zoom))
    }
    set { chosenCentre = newValue }
  }

  private static func centre(_ chosen: Double, _ length: Int, shown: Double) -> Double {
    let (length, half) = (Double(length), shown / 2)
    return 2 * half >= length ? length / 2 : chosen.clamped(to: half...(length - half), nan: length / 2)
  }

  /// The rectangle of the whole picture, with its origin on a device pixel.
  package var rectangle: PixelRectangle {
    let (zoom, centre) = (zoom, centre)
    return PixelRectangle(
      x: (Double(viewSize.width) / 2 - centre.x * zoom).rounded(),
      y: (Double(viewSize.height) / 2 - centre.y * zoom).rounded(),
      width: Double(imageSize.width) * zoom, height: Double(imageSize.height) * zoom)
  }

  /// The rectangle of a part of the picture.
  package func rectangle(of area: PixelArea) -> PixelRectangle {
    let (origin, zoom) = (rectangle, zoom)
    return PixelRectangle(
      x: origin.x + Double(area.left) * zoom, y: origin.y + Double(area.top) * zoom, width: Double(area.width) * zoom,
      height: Double(area.height) * zoom)
  }

  /// The part of the picture in the view, in its pixels.
  package var visibleRectangle: PixelRectangle {
    let (rectangle, zoom) = (rectangle, zoom)
    let (left, top) = (max(0, -rectangle.x / zoom), max(0, -rectangle.y / zoom))
    let right = min(Double(imageSize.width), (Double(viewSize.width) - rectangle.x) / zoom)
    let bottom = min(Double(imageSize.height), (Double(viewSize.height) - rectangle.y) / zoom)
    return PixelRectangle(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
  }

  /// The middle of the view.
  package var middle: Point { Point(x: Double(viewSize.width) / 2, y: Double(viewSize.height) / 2) }

  /// Shows the whole picture.
  package mutating func fit() { chosenZoom = nil }

  /// Changes the zoom, within ``range``; the place of the picture at a point of the view stays there if the edges allow it.
  package mutating func zoom(to zoom: Double, around point: Point) {
    let (old, before) = (self.zoom, centre)
    let new = zoom.clamped(to: range, nan: old)
    chosenZoom = abs(new - fittingZoom) <= 1e-9 * fittingZoom ? nil : new
    let change = 1 / old - 1 / self.zoom
    chosenCentre = Point(x: before.x + (point.x - middle.x) * change, y: before.y + (point.y - middle.y) * change)
  }

  /// Moves the picture as far as its edges allow, in device pixels.
  package mutating func pan(x: Double, y: Double) {
    let (zoom, before) = (zoom, centre)
    chosenCentre = Point(x: before.x - x / zoom, y: before.y - y / zoom)
  }

  /// Changes the size of the view; the middle and the zoom stay.
  package mutating func resize(to size: PixelSize) {
    chosenCentre = centre
    viewSize = PixelSize(width: max(1, size.width), height: max(1, size.height))
  }

  /// The same part of a version of the picture with another number of pixels.
  package func scaled(to size: PixelSize) -> ZoomGeometry {
    if size == imageSize { return self }
    var other = ZoomGeometry(imageSize: size, viewSize: viewSize, allowedRange: allowedRange)
    let factor = Double(other.imageSize.width) / Double(imageSize.width)
    other.chosenZoom = chosenZoom.map { $0 / factor }
    other.chosenCentre = Point(x: centre.x * factor, y: centre.y * factor)
    return other
  }
}

/// A pan that becomes slower by itself after a gesture: its way in device pixels.
package struct KineticPan: Hashable, Sendable {
  /// The part of the velocity that is lost in a second, as a logarithm; that of GTK's scrolled windows.
  private static let friction = 4.0
  /// The velocity at which it ends, in device pixels a second.
  private static let slowest = 20.0

  /// The velocity of the gesture, in device pixels a second.
  private let velocity: ZoomGeometry.Point
  /// How long it lasts, in seconds; 0 if the gesture was too slow.
  package let duration: Double

  package init(velocity: ZoomGeometry.Point) {
    self.velocity = velocity
    let speed = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
    duration = speed > 2 * Self.slowest ? log(speed / Self.slowest) / Self.friction : 0
  }

  /// The way until a time in seconds.
  package func way(after time: Double) -> ZoomGeometry.Point {
    let factor = (1 - exp(-Self.friction * min(max(time, 0), duration))) / Self.friction
    return ZoomGeometry.Point(x: velocity.x * factor, y: velocity.y * factor)
  }
}
