public import HalcyonImaging
public import HalcyonPipeline

/// What an ``ImageViewBinder`` draws on: the thin part of a view that each toolkit has its own of.
///
/// A display decides nothing. It shows what it is told, as long as it is told nothing else, and tells its binder when its
/// size, scale or mode has changed (``ImageViewBinder/displayDidChange()``), when it comes and goes
/// (``ImageViewBinder/isVisible``) and when it is tapped (``ImageViewBinder/didTap()``).
@MainActor
public protocol ImageDisplay: AnyObject {
  /// The room for the image, in points; zero, or anything that is no positive number, before there has been a layout.
  var displaySize: ViewSize { get }
  /// Device pixels a point: 1, 2, or a fraction between and above.
  var displayScale: Double { get }
  /// How an image is brought into a room of another shape.
  var displayMode: ImageDisplayMode { get }

  /// Replaces whatever is shown, in this frame.
  ///
  /// A transition that is still going on is cut short. An ``DisplayContent/Role/image`` that has an animation is played.
  func show(_ content: DisplayContent, transition: ImageTransition)
  /// Puts an indicator over the content; never called with ``LoadingIndicator/none``, nor twice without
  /// ``hideIndicator()`` in between.
  func showIndicator(_ indicator: LoadingIndicator)
  /// Moves the indicator that is shown.
  func updateIndicator(_ progress: LoadProgress)
  /// Takes the indicator away.
  func hideIndicator()
  /// What the first bytes tell of the image, its size above all, for a display that keeps room for it. The standard
  /// implementation does nothing.
  func expectImage(_ info: ImageInfo)
}

extension ImageDisplay {
  /// Does nothing.
  public func expectImage(_ info: ImageInfo) {}
}
