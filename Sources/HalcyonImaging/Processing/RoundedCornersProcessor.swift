/// Rounds the corners of an image, with smooth edges, and draws a border along them.
public struct RoundedCornersProcessor: ImageProcessor, Hashable {
  private let radii: CornerRadii
  private let border: ImageBorder?
  private let background: PixelColor

  /// Creates a processor.
  ///
  /// - Parameters:
  ///   - radii: How round each corner becomes. Radii that do not fit beside each other are made smaller together.
  ///   - border: A line along the edge, inside of it and over the image.
  ///   - background: What shows where the corners were and where the image is transparent.
  public init(_ radii: CornerRadii, border: ImageBorder? = nil, background: PixelColor = .clear) {
    self.radii = radii
    self.border = border
    self.background = background
  }

  /// The name and all parameters.
  public var identifier: String {
    let corners = radii.values.reduce(ProcessorIdentity("corners").adding(text: radii.unit.rawValue)) { $0.adding($1) }
    let grounded = corners.adding(background)
    return border.map { grounded.adding($0.width).adding($0.color).text } ?? grounded.text
  }

  /// The image with round corners; transparent there unless the background is not.
  ///
  /// - Throws: ``ImageProcessingError`` when a radius or the border's width is no number, below 0 or above 100,000.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let limits = 0.0...100_000
    for radius in radii.values { try limits.check(radius, "corner radius") }
    if let border { try limits.check(border.width, "border width") }
    let fitting = radii.resolved(for: bitmap.size)
    let outer = RoundedRectangle(filling: bitmap.size, radii: fitting)
    let inner = border.map { RoundedRectangle(filling: bitmap.size, radii: fitting, inset: $0.width) }
    let isOpaque = background.alpha == 255 || bitmap.isOpaque && fitting.values.allSatisfy { $0 == 0 }
    return try bitmap.redrawn(size: bitmap.size, isOpaque: isOpaque) { source, result in
      let ground = background.premultiplied
      for row in 0..<bitmap.size.height {
        let solid = (inner ?? outer).solidColumns(row: row)
        for column in 0..<bitmap.size.width {
          let index = row * bitmap.size.width + column
          var pixel = source[index]
          if !solid.contains(column) {
            pixel = borderPixel(inner?.coverage(column: column, row: row)).over(pixel)
            pixel = pixel.scaled(by: UInt8(share: outer.coverage(column: column, row: row)))
          }
          result[index] = pixel.over(ground)
        }
      }
    }
  }

  /// The border's part of a pixel of which so much lies inside of the border.
  private func borderPixel(_ innerCoverage: Float?) -> Bitmap.Pixel {
    guard let border, let innerCoverage else { return .zero }
    return border.color.premultiplied.scaled(by: UInt8(share: 1 - innerCoverage))
  }
}

extension ImageProcessor where Self == RoundedCornersProcessor {
  /// Rounds all corners by a radius in pixels.
  public static func roundedCorners(
    radius: Double, border: ImageBorder? = nil, background: PixelColor = .clear
  ) -> Self {
    RoundedCornersProcessor(CornerRadii(radius), border: border, background: background)
  }

  /// Rounds each corner by a radius of its own, in pixels or in parts of the shorter side.
  public static func roundedCorners(
    _ radii: CornerRadii, border: ImageBorder? = nil, background: PixelColor = .clear
  ) -> Self {
    RoundedCornersProcessor(radii, border: border, background: background)
  }

  /// Draws a line along the inside of the edge, over the image.
  ///
  /// - Parameter width: Pixels, 0 to 100,000.
  public static func border(width: Double, color: PixelColor) -> Self {
    RoundedCornersProcessor(CornerRadii(0), border: ImageBorder(width: width, color: color))
  }
}
