/// A size on the screen in points, which are device pixels divided by the scale of the screen.
public struct ViewSize: Hashable, Sendable {
  /// The width in points.
  public var width: Double
  /// The height in points.
  public var height: Double

  /// Creates a size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The size of a view that has not been laid out.
  public static let zero = ViewSize(width: 0, height: 0)
}
