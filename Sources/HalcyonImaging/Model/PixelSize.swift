/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a size without validating it, so that errors can report sizes from invalid files.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Width times height; `Int.max` on overflow.
  public var pixelCount: Int {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// The size with width and height exchanged.
  package var transposed: PixelSize { PixelSize(width: height, height: width) }

  /// The size with a pixel for each square of this many pixels a side, at least 1, and for the rest at the end.
  package func reduced(by reduction: Int) -> PixelSize {
    PixelSize(width: (width - 1) / reduction + 1, height: (height - 1) / reduction + 1)
  }
}

extension PixelSize: CustomStringConvertible {
  /// For example `640x480`.
  public var description: String { "\(width)x\(height)" }
}
