/// How an image is brought into a room of another shape.
public enum ImageDisplayMode: Hashable, Sendable {
  /// The whole image, its shape kept.
  case fit
  /// The room filled, what stands over cut off evenly on both sides.
  case fill
  /// The room filled, out of shape where that takes it.
  case stretch
}
