/// A rectangle with round corners, as a mask with smooth edges.
struct RoundedRectangle {
  private let left: Double
  private let top: Double
  private let right: Double
  private let bottom: Double
  /// In pixels, and small enough to fit.
  private let radii: CornerRadii

  /// A rectangle that fills an image, or lies inside it at the same distance from all edges.
  init(filling size: PixelSize, radii: CornerRadii, inset: Double = 0) {
    (left, top) = (inset, inset)
    (right, bottom) = (Double(size.width) - inset, Double(size.height) - inset)
    self.radii = CornerRadii(
      topLeft: max(0, radii.topLeft - inset), topRight: max(0, radii.topRight - inset),
      bottomLeft: max(0, radii.bottomLeft - inset), bottomRight: max(0, radii.bottomRight - inset))
  }

  /// How much of a pixel lies inside, from 0 to 1: exact at straight edges, by the distance from the arc at round ones.
  func coverage(column: Int, row: Int) -> Float {
    let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
    let horizontal = Self.overlap(from: left, to: right, at: x)
    let straight = horizontal * Self.overlap(from: top, to: bottom, at: y)
    return Float(min(straight, arc(x, y)))
  }

  /// Columns of which all pixels in a row lie wholly inside; some more may do so.
  func solidColumns(row: Int) -> Range<Int> {
    let reach = radii.values.reduce(0, max) + 1
    let (y, isNearArc) = (Double(row), Double(row) < top + reach || Double(row) + 1 > bottom - reach)
    guard y >= top, y + 1 <= bottom else { return 0..<0 }
    let margin = isNearArc ? reach : 0
    let (first, end) = (Int((left + margin).rounded(.up)), Int((right - margin).rounded(.down)))
    return first..<max(first, end)
  }

  /// The part of a pixel's unit interval around `center` that lies between two edges.
  private static func overlap(from start: Double, to end: Double, at center: Double) -> Double {
    max(0, min(end, center + 0.5) - max(start, center - 0.5))
  }

  /// How much of a pixel an arc leaves, 1 where none is near.
  private func arc(_ x: Double, _ y: Double) -> Double {
    let isLeft = x - left < right - x
    let isTop = y - top < bottom - y
    let radius =
      isTop ? (isLeft ? radii.topLeft : radii.topRight) : (isLeft ? radii.bottomLeft : radii.bottomRight)
    let beyondX = radius - (isLeft ? x - left : right - x)
    let beyondY = radius - (isTop ? y - top : bottom - y)
    guard beyondX > 0, beyondY > 0 else { return 1 }
    let distance = (beyondX * beyondX + beyondY * beyondY).squareRoot()
    return max(0, min(1, radius - distance + 0.5))
  }
}
