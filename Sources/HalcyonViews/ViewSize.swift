/// A width and a height on the screen, in points: pixels that have been divided by the screen's scale.
public struct ViewSize: Hashable, Sendable {
  /// Points from left to right.
  public var width: Double
  /// Points from top to bottom.
  public var height: Double

  /// Creates a size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The size of what has not been laid out yet.
  public static let zero = ViewSize(width: 0, height: 0)
}
