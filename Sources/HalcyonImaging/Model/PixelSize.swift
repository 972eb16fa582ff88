/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable {
  /// Pixels from left to right.
  public var width: Int
  /// Pixels from top to bottom.
  public var height: Int

  /// Creates a size; nothing is checked here, so that sizes found in hostile files can be reported as they are.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Width times height, `Int.max` where that does not fit.
  public var pixelCount: Int {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// The same size on its side.
  public var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
  /// For example `640x480`.
  public var description: String { "\(width)x\(height)" }
}
