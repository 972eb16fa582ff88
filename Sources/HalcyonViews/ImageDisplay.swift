public import HalcyonImaging
public import HalcyonPipeline

/// The part of a view that differs between toolkits: it draws for an ``ImageViewBinder``.
///
/// A display contains no logic. It shows the content of the last call until the next one. Its adapter notifies the
/// binder when the size, scale or mode has changed (``ImageViewBinder/displayDidChange()``), when the view becomes
/// visible or hidden (``ImageViewBinder/isVisible``), and when it is tapped (``ImageViewBinder/didTap()``).
@MainActor
public protocol ImageDisplay: AnyObject {
  /// The space for the image in points; a side is zero, or another value that is not positive and finite, before the first
  /// layout, and while the image is to determine it (``screenSize``).
  var displaySize: ViewSize { get }
  /// The size of the screen or the window in points, once the view has been laid out; zero before that.
  ///
  /// A view that has been laid out without a width or without a height gets it from its image: the image is decoded at the
  /// other side, and without both at this size. The default implementation returns ``ViewSize/zero``, so that a load waits
  /// until the view has both.
  var screenSize: ViewSize { get }
  /// Device pixels per point, such as 1, 1.25 or 2; 0 while it is not known.
  var displayScale: Double { get }
  /// How an image is scaled into a display of another aspect ratio.
  var displayMode: ImageDisplayMode { get }
  /// The colour space of images whose requests and pipeline name none.
  ///
  /// The default implementation returns ``TargetColorSpace/sRGB``. On a screen with more colours it is
  /// ``TargetColorSpace/source``.
  var displayColorSpace: TargetColorSpace { get }

  /// The view of the toolkit for a ``CustomTransition``; `nil` for a display whose images appear without such transitions.
  ///
  /// The default implementation returns the display itself.
  var transitionView: Any? { get }

  /// Replaces the content, in this frame. Never called with ``ImageTransition/custom(_:)``.
  ///
  /// Ends a transition that is in progress. Of an animation it shows the bitmap of the image; an ``AnimatedDisplay``
  /// receives the other frames.
  func show(_ content: DisplayContent, transition: ImageTransition)
  /// Replaces the content like ``show(_:transition:)``, and notifies of the end of the transition.
  ///
  /// The default implementation calls `onEnd` after ``show(_:transition:)``.
  ///
  /// - Parameters:
  ///   - content: What the view shows from now on.
  ///   - transition: How it appears.
  ///   - onEnd: Called once: when the transition has ended, or when other content replaces this one before.
  func show(_ content: DisplayContent, transition: ImageTransition, onEnd: @escaping @MainActor () -> Void)
  /// Called before an image is set, with its options and the pipeline that loads it, for example to add a tap gesture for
  /// ``ImageViewOptions/retriesOnTap``, and to tell assistive technologies ``ImageViewOptions/alternativeText``.
  ///
  /// The default implementation does nothing.
  func prepare(for options: ImageViewOptions, pipeline: ImagePipeline)
  /// Called before an image is set: takes over what the program itself has set on the view, so that it is cleared or
  /// kept like an earlier image of the binder.
  ///
  /// The default implementation returns `nil`.
  ///
  /// - Returns: What the view shows now; `nil` if that is the content of the last call of ``show(_:transition:)``.
  func adoptProgramContent() -> DisplayContent?
  /// Shows an indicator over the content.
  ///
  /// Never called with ``LoadingIndicator/hidden``, nor twice without ``hideIndicator()`` in between.
  func showIndicator(_ indicator: LoadingIndicator)
  /// Updates the indicator that is shown.
  func updateIndicator(_ progress: LoadProgress)
  /// Removes the indicator.
  func hideIndicator()
  /// Called with each new phase of the view, for example to tell assistive technologies that it is busy or has failed.
  ///
  /// The default implementation does nothing.
  func phaseDidChange(_ phase: ImagePhase)
  /// Called when the first bytes have arrived, with the size of the image, so that a display can reserve space for it.
  ///
  /// The default implementation does nothing.
  func expectImage(_ info: ImageInfo)
}

extension ImageDisplay {
  /// The display itself.
  public var transitionView: Any? { self }

  /// Zero.
  public var screenSize: ViewSize { .zero }

  /// ``TargetColorSpace/sRGB``.
  public var displayColorSpace: TargetColorSpace { .sRGB }

  /// Calls ``show(_:transition:)``, then `onEnd`.
  public func show(_ content: DisplayContent, transition: ImageTransition, onEnd: @escaping @MainActor () -> Void) {
    show(content, transition: transition)
    onEnd()
  }

  /// Does nothing.
  public func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) {}

  /// `nil`.
  public func adoptProgramContent() -> DisplayContent? { nil }

  /// The pixels per point at which an image has its natural size: its own ``DecodedImage/scale``, which the option
  /// ``RequestOptions/scale`` sets, otherwise ``displayScale``.
  ///
  /// 1 while the scale of the display is not known.
  public func pixelsPerPoint(of image: DecodedImage) -> Double {
    if image.scale != 1 { return image.scale }
    return displayScale > 0 ? displayScale : 1
  }

  /// Does nothing.
  public func phaseDidChange(_ phase: ImagePhase) {}

  /// Does nothing.
  public func expectImage(_ info: ImageInfo) {}
}

/// A display that plays animations: it shows frames that its binder decodes and times.
///
/// All displays of one image show the same frame and share one decoder. Frames come only while
/// ``ImageViewBinder/isVisible``. A display that is no `AnimatedDisplay` shows the first frame.
@MainActor
public protocol AnimatedDisplay: ImageDisplay {
  /// Replaces the pixels of the image that was shown last by another frame of the same size.
  func showFrame(_ frame: Bitmap)
  /// Whether the user has asked for less motion, or for animated images that do not play by themselves: an animation then
  /// shows its first frame until ``AnimationController/play()``.
  ///
  /// The default implementation returns `false`.
  var reducesMotion: Bool { get }
}

extension AnimatedDisplay {
  /// `false`.
  public var reducesMotion: Bool { false }
}
