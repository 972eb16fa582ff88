/// A rectangle of whole pixels; x grows to the right, y downwards.
public struct PixelArea: Hashable, Sendable {
  /// The distance from the left edge of the image, in pixels.
  public var left: Int
  /// The distance from the top edge of the image, in pixels.
  public var top: Int
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a rectangle without validating it: what decodes it throws ``ImageDecodingError/invalidRegion(_:of:)``.
  public init(left: Int, top: Int, width: Int, height: Int) {
    (self.left, self.top, self.width, self.height) = (left, top, width, height)
  }

  package init(left: Int = 0, top: Int = 0, size: PixelSize) {
    self.init(left: left, top: top, width: size.width, height: size.height)
  }

  /// The width and the height.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// Throws unless the area has a pixel, and is inside an image.
  func check(inside image: PixelSize) throws(ImageDecodingError) {
    guard left >= 0, top >= 0, width > 0, height > 0, width <= image.width, height <= image.height,
      left <= image.width - width, top <= image.height - height
    else { throw .invalidRegion(self, of: image) }
  }
}

extension PixelArea: CustomStringConvertible {
  /// For example `640x480 at 100,50`.
  public var description: String { "\(size) at \(left),\(top)" }
}
