#if canImport(CoreGraphics)
public import CoreGraphics
public import Halcyon

extension TargetSize {
  /// The whole image inside a box in points: ``fit(width:height:)`` in pixels, rounded up.
  ///
  /// - Parameters:
  ///   - size: The box, both sides above 0.
  ///   - scale: Pixels per point, such as the display scale of a view.
  public static func fit(_ size: CGSize, scale: CGFloat) -> TargetSize {
    .fit(width: pixels(size.width, scale), height: pixels(size.height, scale))
  }

  /// A box in points filled, cropped equally on both sides: ``fill(width:height:)`` in pixels, rounded up.
  ///
  /// The parameters are those of ``fit(_:scale:)``.
  public static func fill(_ size: CGSize, scale: CGFloat) -> TargetSize {
    .fill(width: pixels(size.width, scale), height: pixels(size.height, scale))
  }

  private static func pixels(_ points: CGFloat, _ scale: CGFloat) -> Int {
    max(0, Int(exactly: Double(points * scale).rounded(.up)) ?? .max)
  }
}
#endif
