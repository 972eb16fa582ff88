/// The direction in which an image is mirrored.
public enum FlipDirection: String, Hashable, Sendable {
  /// Exchanges left and right.
  case horizontal
  /// Exchanges top and bottom.
  case vertical
}
