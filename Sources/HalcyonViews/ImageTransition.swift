/// How a loaded image replaces the previous content of its view.
///
/// ```swift
/// view.hc.setImage(with: url, options: ImageViewOptions(transition: .crossFade(.milliseconds(200))))
/// ```
@nonexhaustive
public enum ImageTransition: Sendable {
  /// Without animation. The default.
  case immediate
  /// The previous content fades into the image.
  case crossFade(Duration)
  /// An animation by the closure, which shows the image and ends the transition: see ``CustomTransition``.
  ///
  /// In views without transitions, such as an ``ObservableImage``, the image appears without animation.
  case custom(@MainActor @Sendable (CustomTransition) -> Void)

  /// A cross-fade of 0.3 seconds.
  public static let crossFade = ImageTransition.crossFade(.milliseconds(300))
}
