/// At which size a view's image is decoded, where the request names no size itself.
public enum ViewSizing: Hashable, Sendable {
  /// The view's size in device pixels, times a factor above 0: 1 is sharp, 1.5 leaves room to zoom. The image is loaded
  /// again when the view grows.
  case view(factor: Double)
  /// The size that the file has.
  case original

  /// The view's size in device pixels. The default.
  public static let view = ViewSizing.view(factor: 1)
}
