import HalcyonSupport

/// The target size of an image, in pixels.
///
/// Only vector images (SVG), ``exact(width:height:enlarges:)`` and ``fill(width:height:anchor:enlarges:)`` that enlarges
/// make an image larger.
///
/// ```swift
/// let request = ImageRequest(url: url, size: .fill(width: 320, height: 240))
/// ```
@nonexhaustive
public enum TargetSize: Hashable, Sendable {
  /// The original size of the image.
  case original
  /// The largest size inside a box; keeps the aspect ratio.
  ///
  /// Both sides at least 1; `Int.max` leaves a side unconstrained.
  case fit(width: Int, height: Int)
  /// The box filled; keeps the aspect ratio and crops the rest so that the anchor stays in place.
  ///
  /// Both sides at least 1. A smaller image gives the largest part of it with the aspect ratio of the box, or is enlarged to
  /// the box with `enlarges`; the limits on pixels apply to the result.
  case fill(width: Int, height: Int, anchor: CropAnchor = .center, enlarges: Bool = false)
  /// The whole image at exactly this size, distorted if necessary.
  ///
  /// Both sides at least 1; the limits on pixels apply to the result. Without `enlarges` neither side becomes larger
  /// than the image's, for a view that stretches what it draws.
  case exact(width: Int, height: Int, enlarges: Bool = true)
  /// The whole image, at the smallest size that covers a box; keeps the aspect ratio.
  ///
  /// For a view whose toolkit scales the image into it. Both sides at least 1; an image is not enlarged.
  @_spi(Programs) case cover(width: Int, height: Int)

  /// The whole image with at most this width; its height is not limited. There is no `fill(width:)`, since it would do
  /// the same.
  public static func fit(width: Int) -> TargetSize { .fit(width: width, height: .max) }

  /// The whole image with at most this height; its width is not limited. There is no `fill(height:)`, since it would do
  /// the same.
  public static func fit(height: Int) -> TargetSize { .fit(width: .max, height: height) }

  /// Whether both sides are at least 1. A load of any other size fails with `ImageError.invalidTargetSize`.
  package var isValid: Bool {
    switch self {
    case .original: true
    case .fit(let width, let height), .fill(let width, let height, _, _), .exact(let width, let height, _),
      .cover(let width, let height):
      width > 0 && height > 0
    }
  }

  /// The size of the result for an image, in pixels.
  ///
  /// - Parameter source: The size of the whole image with its orientation applied. Of a vector image, the size at which
  ///   it fills the target.
  /// - Returns: 0x0 if a side of the target or of `source` is below 1.
  package func size(for source: PixelSize) -> PixelSize {
    guard isValid, source.width > 0, source.height > 0 else { return PixelSize(width: 0, height: 0) }
    return geometry(for: source).outputSize
  }

  /// The part of an image that is drawn for this target, and the size of the result, where the target applies to a region
  /// as if that were the whole image.
  ///
  /// - Parameters:
  ///   - source: The size of the whole image with its orientation applied.
  ///   - region: The region in pixels of the whole image; `nil` for all of it.
  /// - Throws: ``ImageDecodingError/invalidTargetSize(_:)`` and ``ImageDecodingError/invalidRegion(_:of:)``.
  package func geometry(for source: PixelSize, region: PixelArea?) throws(ImageDecodingError) -> ResizeGeometry {
    guard isValid else { throw .invalidTargetSize(self) }
    try region?.check(inside: source)
    var geometry = geometry(for: region?.size ?? source)
    geometry.window.x += Double(region?.left ?? 0)
    geometry.window.y += Double(region?.top ?? 0)
    return geometry
  }

  /// The part of an image that is drawn for this target, and the size of the result.
  ///
  /// - Parameter source: The size of the whole image with its orientation applied, both sides at least 1.
  /// - Precondition: The target size ``isValid``.
  package func geometry(for source: PixelSize) -> ResizeGeometry {
    precondition(isValid, "a target size needs at least one pixel a side, got \(self)")
    let whole = PixelRectangle(
      x: 0, y: 0, width: Double(source.width), height: Double(source.height))
    switch self {
    case .original:
      return ResizeGeometry(window: whole, outputSize: source)
    case .fit(let width, let height):
      let scale = min(1, Double(width) / whole.width, Double(height) / whole.height)
      return ResizeGeometry(window: whole, outputSize: whole.size(scaledBy: scale))
    case .fill(let width, let height, let anchor, let enlarges):
      return whole.filling(width: Double(width), height: Double(height), anchor: anchor, enlarges: enlarges)
    case .exact(let width, let height, enlarges: true):
      return ResizeGeometry(window: whole, outputSize: PixelSize(width: width, height: height))
    case .exact(let width, let height, enlarges: false):
      let size = PixelSize(width: min(width, source.width), height: min(height, source.height))
      return ResizeGeometry(window: whole, outputSize: size)
    case .cover(let width, let height):
      let scale = min(1, max(Double(width) / whole.width, Double(height) / whole.height))
      return ResizeGeometry(window: whole, outputSize: whole.size(scaledBy: scale))
    }
  }
}

extension TargetSize: CustomStringConvertible {
  /// For example `fit 400x300`, `fit 400x` without a limit of the height, `fill 400x300 0.5,0.0` or `exact 400x300 or smaller`.
  public var description: String {
    switch self {
    case .original: "original"
    case .fit(let width, let height): "fit \(width == .max ? "" : "\(width)")x\(height == .max ? "" : "\(height)")"
    case .fill(let width, let height, let anchor, let enlarges):
      "fill \(width)x\(height)\(anchor == .center ? "" : anchor.isSmart ? " smart" : " \(anchor.x),\(anchor.y)")\(enlarges ? " or larger" : "")"
    case .cover(let width, let height): "cover \(width)x\(height)"
    case .exact(let width, let height, let enlarges): "exact \(width)x\(height)\(enlarges ? "" : " or smaller")"
    }
  }
}

/// A part of an image and the size at which it is drawn.
package struct ResizeGeometry: Hashable, Sendable {
  /// The part of the upright source that is drawn, in source pixels; may be fractional.
  package var window: PixelRectangle
  /// The size of the result in pixels.
  package var outputSize: PixelSize

  /// Creates a geometry.
  package init(window: PixelRectangle, outputSize: PixelSize) {
    self.window = window
    self.outputSize = outputSize
  }
}

/// A rectangle in pixels, which may be fractional; x grows to the right, y downwards.
package struct PixelRectangle: Hashable, Sendable {
  /// The left edge.
  package var x: Double
  /// The top edge.
  package var y: Double
  /// The distance from the left to the right edge.
  package var width: Double
  /// The distance from the top to the bottom edge.
  package var height: Double

  /// Creates a rectangle.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The rectangle with x and y exchanged.
  package var transposed: PixelRectangle { PixelRectangle(x: y, y: x, width: height, height: width) }

  func size(scaledBy scale: Double) -> PixelSize {
    PixelSize(
      width: max(1, Int(clamping: (width * scale).rounded())), height: max(1, Int(clamping: (height * scale).rounded()))
    )
  }

  /// The largest part with the aspect ratio of a box of at least 1x1, drawn at the size of the box or, unless `enlarges`,
  /// smaller.
  ///
  /// The part has at least one pixel a side, even if the aspect ratio of the box would make it thinner.
  func filling(width boxWidth: Double, height boxHeight: Double, anchor: CropAnchor, enlarges: Bool) -> ResizeGeometry {
    let crop = min(width / boxWidth, height / boxHeight)
    let window = part(width: max(1, crop * boxWidth), height: max(1, crop * boxHeight), anchor: anchor)
    return ResizeGeometry(window: window, outputSize: window.size(scaledBy: enlarges ? 1 / crop : min(1, 1 / crop)))
  }

  private func part(width innerWidth: Double, height innerHeight: Double, anchor: CropAnchor) -> PixelRectangle {
    PixelRectangle(
      x: x + (width - innerWidth) * anchor.x, y: y + (height - innerHeight) * anchor.y, width: innerWidth,
      height: innerHeight)
  }
}
