import HalcyonSupport

/// Rounds the corners of an image, antialiased, and draws a border along its edge.
struct RoundedCornersProcessor: ImageProcessor {
  let radii: CornerRadii
  let border: ImageBorder?
  let background: PixelColor

  var identifier: String {
    let corners = radii.values.reduce(ProcessorIdentity("corners").adding(text: radii.unit.rawValue)) { $0.adding($1) }
    let identity = corners.adding(background)
    return border.map { identity.adding($0.width).adding($0.color).text } ?? identity.text
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let limits = 0.0...100_000
    for radius in radii.values { try limits.check(radius, "corner radius") }
    if let border { try limits.check(border.width, "border width") }
    let fitting = radii.resolved(for: bitmap.size)
    let outer = RoundedRectangle(filling: bitmap.size, radii: fitting)
    let inner = border.map { RoundedRectangle(filling: bitmap.size, radii: fitting, inset: $0.width) }
    let isOpaque = background.alpha == 255 || bitmap.isOpaque && fitting.values.allSatisfy { $0 == 0 }
    return try bitmap.redrawn(size: bitmap.size, isOpaque: isOpaque) { source, result in
      let ground = background.premultiplied(in: bitmap.colorSpace)
      let ink = border?.color.premultiplied(in: bitmap.colorSpace) ?? .zero
      for row in 0..<bitmap.size.height {
        try CancellationFlag.checkCurrent(atRow: row)
        let solid = (inner ?? outer).solidColumns(row: row)
        for column in 0..<bitmap.size.width {
          let index = row * bitmap.size.width + column
          var pixel = source[index]
          if !solid.contains(column) {
            pixel = borderPixel(ink, inner?.coverage(column: column, row: row)).over(pixel)
            pixel = pixel.scaled(by: UInt8(fraction: outer.coverage(column: column, row: row)))
          }
          result[index] = pixel.over(ground)
        }
      }
    }
  }

  /// The border's contribution to a pixel; `innerCoverage` is the fraction of the pixel inside the border.
  private func borderPixel(_ ink: Bitmap.Pixel, _ innerCoverage: Float?) -> Bitmap.Pixel {
    guard let innerCoverage else { return .zero }
    return ink.scaled(by: UInt8(fraction: 1 - innerCoverage))
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Rounds all corners by a radius in pixels, 0 to 100,000.
  public static func roundedCorners(
    radius: Double, border: ImageBorder? = nil, background: PixelColor = .clear
  ) -> Self {
    roundedCorners(CornerRadii(radius), border: border, background: background)
  }

  /// Rounds each corner by its own radius, antialiased.
  ///
  /// - Parameters:
  ///   - radii: In pixels, 0 to 100,000, or in fractions of the shorter side. Radii that overlap are reduced by a common
  ///     factor.
  ///   - border: A line along the inside of the edge, over the image.
  ///   - background: The colour behind the rounded corners and transparent pixels.
  public static func roundedCorners(
    _ radii: CornerRadii, border: ImageBorder? = nil, background: PixelColor = .clear
  ) -> Self {
    BuiltInProcessor(RoundedCornersProcessor(radii: radii, border: border, background: background))
  }

  /// Draws a line along the inside of the edge, over the image.
  ///
  /// - Parameters:
  ///   - width: The width in pixels, 0 to 100,000.
  ///   - color: The colour of the line.
  public static func border(width: Double, color: PixelColor) -> Self {
    roundedCorners(radius: 0, border: ImageBorder(width: width, color: color))
  }
}

/// A rectangle with rounded corners, as an antialiased mask.
private struct RoundedRectangle {
  private let left: Double
  private let top: Double
  private let right: Double
  private let bottom: Double
  /// In pixels, without overlap.
  private let radii: CornerRadii

  /// A rectangle that fills an image, inset equally from all edges.
  init(filling size: PixelSize, radii: CornerRadii, inset: Double = 0) {
    (left, top) = (inset, inset)
    (right, bottom) = (Double(size.width) - inset, Double(size.height) - inset)
    self.radii = CornerRadii(
      topLeft: max(0, radii.topLeft - inset), topRight: max(0, radii.topRight - inset),
      bottomLeft: max(0, radii.bottomLeft - inset), bottomRight: max(0, radii.bottomRight - inset))
  }

  /// The fraction of a pixel that is inside, 0 to 1: exact at straight edges, by the distance to the arc at corners.
  func coverage(column: Int, row: Int) -> Float {
    let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
    let horizontal = Self.overlap(from: left, to: right, at: x)
    let straight = horizontal * Self.overlap(from: top, to: bottom, at: y)
    return Float(min(straight, arc(x, y)))
  }

  /// Columns whose pixels in a row are completely inside; fewer where the radii differ.
  func solidColumns(row: Int) -> Range<Int> {
    let reach = radii.values.reduce(0, max)
    let (y, isNearArc) = (Double(row), Double(row) < top + reach || Double(row) + 1 > bottom - reach)
    guard y >= top, y + 1 <= bottom else { return 0..<0 }
    let margin = isNearArc ? reach : 0
    let (first, end) = (Int((left + margin).rounded(.up)), Int((right - margin).rounded(.down)))
    return first..<max(first, end)
  }

  /// The fraction of a pixel's unit interval around `center` that is between two edges.
  private static func overlap(from start: Double, to end: Double, at center: Double) -> Double {
    max(0, min(end, center + 0.5) - max(start, center - 0.5))
  }

  /// The fraction of a pixel that is inside the arc of the nearest corner; 1 away from corners.
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
