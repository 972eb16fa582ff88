/// How a loaded image takes the place of what was shown before.
@nonexhaustive
public enum ImageTransition: Sendable {
  /// At once. The default.
  case none
  /// One fades into the other.
  case crossFade(Duration)
  /// The image is there, and the closure, which gets the toolkit's view, animates it.
  case custom(@MainActor @Sendable (Any) -> Void)

  /// A fade of 0.3 seconds.
  public static let crossFade = ImageTransition.crossFade(.milliseconds(300))

  /// Whether the content just changes.
  public var isNone: Bool {
    if case .none = self { return true }
    return false
  }
}
