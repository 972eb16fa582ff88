#if canImport(CoreGraphics)
public import CoreGraphics
public import Halcyon
import HalcyonSupport

extension TargetSize {
  /// The largest size inside a box in points, in pixels rounded up.
  ///
  /// - Parameters:
  ///   - box: The box; a side that is not above 0 is an error of the load.
  ///   - scale: Pixels per point, such as the scale of a screen.
  public static func fit(_ box: CGSize, scale: Double) -> TargetSize {
    .fit(width: pixels(box.width, scale), height: pixels(box.height, scale))
  }

  /// A box in points filled, in pixels rounded up; the rest is cropped so that the anchor stays in place.
  ///
  /// - Parameters:
  ///   - box: The box; a side that is not above 0 is an error of the load.
  ///   - scale: Pixels per point, such as the scale of a screen.
  ///   - anchor: The point that stays in place.
  public static func fill(_ box: CGSize, scale: Double, anchor: CropAnchor = .center) -> TargetSize {
    .fill(width: pixels(box.width, scale), height: pixels(box.height, scale), anchor: anchor)
  }

  private static func pixels(_ points: Double, _ scale: Double) -> Int {
    max(0, Int(clamping: (points * scale).rounded(.up)))
  }
}
#endif
