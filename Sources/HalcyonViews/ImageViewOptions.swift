import HalcyonSupport
public import HalcyonPipeline

/// How a view shows its image, and what it shows while the image is loading.
///
/// An option that is `nil` is not set. Options of a call win over the view's (``ImageViewProxy/options``), these over the
/// pipeline's (``PipelineConfiguration/viewOptions``), these over the program's (``global``), these over the documented
/// defaults.
/// What is loaded, and from where, is configured by the ``ImageRequest``.
///
/// ```swift
/// var options = ImageViewOptions(indicator: .activity, transition: .crossFade)
/// options.retriesOnTap = true
/// view.hc.setImage(with: url, options: options)
/// ```
public struct ImageViewOptions: Sendable {
  /// What is shown until the image is loaded, and without a URL; the argument `placeholder` of a call wins over it.
  /// Default: nothing.
  public var placeholder: ImagePlaceholder?
  /// The time after which the placeholder is shown if the image is not loaded; until then the view is empty.
  ///
  /// Zero shows it at once. A placeholder that was shown after its delay stays for at least 300 milliseconds, so that it
  /// does not flash. Default: 100 milliseconds, so that an image from the disk appears without a placeholder.
  public var placeholderDelay: Duration?
  /// Whether the current image stays until the next one is loaded.
  ///
  /// A view without an image shows the placeholder. An image in memory replaces the current one at once. Default:
  /// `false`, the view is cleared at once.
  public var keepsCurrentImage: Bool?
  /// What is shown when the load fails. Default: the placeholder.
  ///
  /// An image that is shown stays when its revalidation or its larger version cannot be loaded.
  public var failure: FailureContent?
  /// The indicator shown while the image is loading. Default: ``LoadingIndicator/hidden``.
  ///
  /// There is none for an image in memory, and none while an image is revalidated or loaded again.
  public var indicator: LoadingIndicator?
  /// How a loaded image, or the ``FailureContent`` of a failed load, replaces the previous content. Default:
  /// ``ImageTransition/immediate``.
  ///
  /// Placeholders, previews and the larger version of an image in a view that has grown appear without animation.
  public var transition: ImageTransition?
  /// The origins whose images appear with the transition; all others appear without.
  ///
  /// Default: all but the caches. Failures and larger versions have no origin.
  public var transitionOrigins: Set<ImageOrigin>?
  /// The group of images that are shown together. Default: none, the image is shown when it is loaded.
  ///
  /// Later versions of the image are shown when they are loaded.
  public var transitionGroup: TransitionGroup?
  /// The size at which the image is decoded, unless the request sets one. Default: the size of the view.
  public var sizing: ViewSizing?
  /// An image of lower resolution, loaded at the same time and shown until the image is loaded. Default: none.
  ///
  /// An image in memory is shown at once, even if it is stale. A crop, such as the thumbnail of a grid, is shown at its place
  /// in the image, with transparent margins; it is not shown if that place is unknown: with ``CropAnchor/smart``, and if it
  /// was read from the store in the form of a ``StoragePolicy``. The low-resolution image is not loaded for an image in
  /// memory, and not when an image is revalidated or loaded again.
  public var lowResolution: ImageRequest?
  /// Whether the image is loaded, and held, only while the view is visible. Default: `false`.
  ///
  /// A hidden view shows its placeholder and releases its image, so that memory stays within the cache limit however
  /// many views there are; an image set on a hidden view is not loaded. When the view becomes visible, an image in
  /// memory is shown in the same frame, and any other is loaded again. For long lists, whose toolkits keep many more
  /// views than are visible. Without it a hidden view loads its image at the lowest priority.
  public var onlyWhileVisible: Bool?
  /// Whether a tap on the view retries a failed load. Default: `false`.
  ///
  /// It does nothing while the view shows its image.
  public var retriesOnTap: Bool?
  /// Whether the load finishes at the lowest priority, so that its image is cached, when the view is set to another image
  /// or released before its end. Default: `false`, it is cancelled.
  ///
  /// No effect after the end of the load: the load of a larger version, or of an image for a view that is visible again,
  /// is always cancelled.
  public var finishesSuperseded: Bool?
  /// How an animated image plays. Default: automatically, as often as its file says.
  ///
  /// Placeholders and previews that are animated always do. ``ImageViewProxy/animation`` controls it later. No effect in
  /// views that show only the first frame, such as buttons.
  public var playback: AnimationPlayback?
  /// Whether the image is drawn in its own colours or, as an icon, in the tint colour of the view. Default: in its own
  /// colours; an image view of UIKit decides by its place, as for any image.
  ///
  /// It applies to the image and its previews, not to placeholders. No effect in layers and in GTK.
  public var renderingMode: ImageRenderingMode?
  /// What a screen reader says in place of the image. Default: nothing.
  ///
  /// It is set and removed with the image: a view that is reused for another image does not keep it. A text that the
  /// program sets on the view itself stays while this option is `nil`. No effect in buttons, layers and text
  /// attachments.
  public var alternativeText: String?
  /// What a screen reader says of an image that cannot be loaded. Default: “The image could not be loaded.” in English,
  /// and how to retry it if that is possible.
  public var failureText: String?

  /// Creates options; those that are not named are not set.
  public init(
    placeholder: ImagePlaceholder? = nil, placeholderDelay: Duration? = nil, keepsCurrentImage: Bool? = nil,
    failure: FailureContent? = nil, indicator: LoadingIndicator? = nil, transition: ImageTransition? = nil,
    transitionOrigins: Set<ImageOrigin>? = nil, transitionGroup: TransitionGroup? = nil, sizing: ViewSizing? = nil,
    lowResolution: ImageRequest? = nil, onlyWhileVisible: Bool? = nil, retriesOnTap: Bool? = nil,
    finishesSuperseded: Bool? = nil, playback: AnimationPlayback? = nil, renderingMode: ImageRenderingMode? = nil,
    alternativeText: String? = nil, failureText: String? = nil
  ) {
    (self.placeholder, self.placeholderDelay) = (placeholder, placeholderDelay)
    (self.keepsCurrentImage, self.failure, self.indicator) = (keepsCurrentImage, failure, indicator)
    (self.transition, self.transitionOrigins) = (transition, transitionOrigins)
    (self.transitionGroup, self.sizing, self.lowResolution) = (transitionGroup, sizing, lowResolution)
    (self.onlyWhileVisible, self.retriesOnTap) = (onlyWhileVisible, retriesOnTap)
    (self.finishesSuperseded, self.playback) = (finishesSuperseded, playback)
    (self.renderingMode, self.alternativeText, self.failureText) = (renderingMode, alternativeText, failureText)
  }

  /// These options, with those that are not set taken from `defaults`. `ViewOptionTests` fails if one is missing.
  func over(_ defaults: ImageViewOptions) -> ImageViewOptions {
    ImageViewOptions(
      placeholder: placeholder ?? defaults.placeholder, placeholderDelay: placeholderDelay ?? defaults.placeholderDelay,
      keepsCurrentImage: keepsCurrentImage ?? defaults.keepsCurrentImage, failure: failure ?? defaults.failure,
      indicator: indicator ?? defaults.indicator, transition: transition ?? defaults.transition,
      transitionOrigins: transitionOrigins ?? defaults.transitionOrigins,
      transitionGroup: transitionGroup ?? defaults.transitionGroup, sizing: sizing ?? defaults.sizing,
      lowResolution: lowResolution ?? defaults.lowResolution,
      onlyWhileVisible: onlyWhileVisible ?? defaults.onlyWhileVisible,
      retriesOnTap: retriesOnTap ?? defaults.retriesOnTap,
      finishesSuperseded: finishesSuperseded ?? defaults.finishesSuperseded, playback: playback ?? defaults.playback,
      renderingMode: renderingMode ?? defaults.renderingMode,
      alternativeText: alternativeText ?? defaults.alternativeText, failureText: failureText ?? defaults.failureText)
  }

  /// These options, with those that are not set taken from the pipeline, and then from ``global``.
  package func completed(by pipeline: ImagePipeline) -> ImageViewOptions {
    over(pipeline.configuration.viewOptions).over(.global)
  }
}

/// The defaults of the program.
extension ImageViewOptions {
  private static let shared = Lock(ImageViewOptions())

  /// The options of all views of the program, for options that neither a call nor its pipeline sets. Default: none.
  ///
  /// Set it at program start, or at any time for later calls. Safe from any thread.
  public static var global: ImageViewOptions {
    get { shared.withLock(\.self) }
    set { shared.replace(with: newValue) }
  }
}

extension PipelineConfiguration {
  /// The options of views that show images of this pipeline, for options that a call does not set; they win over
  /// ``ImageViewOptions/global``. Default: none.
  public var viewOptions: ImageViewOptions {
    get { viewDefaults as? ImageViewOptions ?? ImageViewOptions() }
    set { viewDefaults = newValue }
  }
}

/// What a view shows when its image cannot be loaded.
@nonexhaustive
public enum FailureContent: Sendable {
  /// The current content; in an empty view the placeholder. The default.
  case keepsPlaceholder
  /// Another placeholder, for failures.
  case shows(ImagePlaceholder)
  /// Nothing: the view is cleared.
  case clears
}

/// The size at which a view's image is decoded, unless the request sets one.
public enum ViewSizing: Hashable, Sendable {
  /// The view's size in device pixels, multiplied by a factor from 0.01 to 100: 1 is sharp, 1.5 allows for zooming. Other
  /// numbers are clamped; NaN counts as 1.
  ///
  /// The image is loaded again when the view grows.
  case view(factor: Double)
  /// The size of the image file.
  case original

  /// The view's size in device pixels. The default.
  public static let view = ViewSizing.view(factor: 1)

  static let factors = 0.01...100
}
