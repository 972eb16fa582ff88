/// The part of an image that is kept where something is cut off, and the place of an image on a larger canvas, as image
/// URLs name it: an edge, a corner, a point or what attracts attention, with offsets.
package struct Gravity: Hashable, Sendable {
  /// The reference of the offsets.
  package enum Kind: String, Hashable, Sendable {
    /// The centre.
    case center = "ce"
    /// The top edge.
    case north = "no"
    /// The bottom edge.
    case south = "so"
    /// The right edge.
    case east = "ea"
    /// The left edge.
    case west = "we"
    /// The upper right corner.
    case northEast = "noea"
    /// The upper left corner.
    case northWest = "nowe"
    /// The lower right corner.
    case southEast = "soea"
    /// The lower left corner.
    case southWest = "sowe"
    /// The point at ``Gravity/x`` and ``Gravity/y``, both from 0 to 1.
    case focusPoint = "fp"
    /// The area that attracts attention, found in the pixels; offsets have no effect.
    case smart = "sm"
  }

  /// The reference of the offsets.
  package var kind: Kind
  /// The horizontal offset: pixels if it is at least 1 or at most -1, otherwise a share of the width.
  package var x: Double
  /// The vertical offset, like ``x``.
  package var y: Double

  /// Creates a gravity.
  package init(_ kind: Kind = .center, x: Double = 0, y: Double = 0) {
    self.kind = kind
    self.x = x
    self.y = y
  }

  /// The centre.
  package static let center = Gravity()
}

extension Gravity {
  /// The upper left corner of an area inside a larger one, clamped so that it stays inside.
  ///
  /// Halves are rounded to even numbers, as imgproxy does.
  ///
  /// - Parameters:
  ///   - scale: Factor of offsets in pixels.
  ///   - mayOverhang: Whether the area may be larger than the outer one, or lie outside it but for one pixel.
  package func position(
    of inner: (width: Int, height: Int), in outer: (width: Int, height: Int), scale: Double = 1,
    mayOverhang: Bool = false
  ) -> (left: Int, top: Int) {
    let (freeWidth, freeHeight) = (outer.width - inner.width, outer.height - inner.height)
    let left: Int
    let top: Int
    if kind == .focusPoint {
      left = Int(pixels: Double(outer.width) * x, rounding: .toNearestOrEven) - inner.width / 2
      top = Int(pixels: Double(outer.height) * y, rounding: .toNearestOrEven) - inner.height / 2
    } else {
      let offsetX = Self.pixels(x, of: outer.width, scale: scale)
      let offsetY = Self.pixels(y, of: outer.height, scale: scale)
      left =
        switch kind {
        case .west, .northWest, .southWest: offsetX
        case .east, .northEast, .southEast: freeWidth - offsetX
        case .center, .north, .south, .focusPoint, .smart: Self.half(freeWidth + 1) + offsetX
        }
      top =
        switch kind {
        case .north, .northEast, .northWest: offsetY
        case .south, .southEast, .southWest: freeHeight - offsetY
        case .center, .east, .west, .focusPoint, .smart: Self.half(freeHeight + 1) + offsetY
        }
    }
    if mayOverhang {
      return (
        max(1 - inner.width, min(left, outer.width - 1)), max(1 - inner.height, min(top, outer.height - 1))
      )
    }
    return (max(0, min(left, freeWidth)), max(0, min(top, freeHeight)))
  }

  private static func half(_ length: Int) -> Int { Int(pixels: Double(length) / 2, rounding: .toNearestOrEven) }

  /// An offset in pixels, which may be a share of a length.
  package static func pixels(_ offset: Double, of length: Int, scale: Double) -> Int {
    Int(pixels: abs(offset) >= 1 ? offset * scale : offset * Double(length), rounding: .toNearestOrEven)
  }
}

/// Where a smaller area lies on a larger one: a canvas around an image, or a mark on it.
package enum Placement: Hashable, Sendable {
  /// At a share of the space around it, at least `inset` pixels from the edges.
  case anchored(CropAnchor, inset: Int)
  /// At a gravity; `scale` is the factor of offsets in pixels.
  case gravity(Gravity, scale: Double)

  /// The upper left corner of the inner area.
  ///
  /// - Parameter mayOverhang: Whether it may be larger than the outer one, or lie outside of it.
  package func corner(
    of inner: PixelSize, in outer: PixelSize, mayOverhang: Bool = false
  ) -> (left: Int, top: Int) {
    switch self {
    case .anchored(let anchor, let inset):
      func start(_ count: Int, _ length: Int, _ anchor: Double) -> Int {
        inset + Int((Double(length - count - 2 * inset) * anchor).rounded())
      }
      return (start(inner.width, outer.width, anchor.x), start(inner.height, outer.height, anchor.y))
    case .gravity(let gravity, let scale):
      return gravity.position(
        of: (inner.width, inner.height), in: (outer.width, outer.height), scale: scale, mayOverhang: mayOverhang)
    }
  }

  /// The texts of the parameters, for identifiers.
  package var parameters: String {
    switch self {
    case .anchored(let anchor, let inset): "\(anchor.x) \(anchor.y) \(inset)"
    case .gravity(let gravity, let scale): "\(gravity.kind.rawValue) \(gravity.x) \(gravity.y) \(scale)"
    }
  }
}
