import HalcyonSupport
public import HalcyonPipeline

/// How a view shows its image, and what it shows while the image is loading.
///
/// A value type. What is loaded, and from where, is configured by the ``ImageRequest``. ``default`` changes the defaults
/// of the program.
///
/// ```swift
/// var options = ImageViewOptions(indicator: .activity, transition: .crossFade)
/// options.retriesOnTap = true
/// view.hc.setImage(with: url, options: options)
/// ```
public struct ImageViewOptions: Sendable {
  /// The time after which the placeholder is shown if the image is not loaded; until then the view is empty.
  ///
  /// Zero shows it at once. Default: 100 milliseconds, so that an image from the disk appears without a placeholder.
  public var placeholderDelay = PlaceholderTiming.defaultDelay
  /// The shortest time for which a placeholder that was shown after its delay stays, so that it does not flash.
  ///
  /// A placeholder that was shown at once is replaced as soon as the image is loaded, and an image in memory is shown
  /// without one. Default: 300 milliseconds.
  public var minimumPlaceholderTime = PlaceholderTiming.defaultMinimum
  /// Whether the current image stays until the next one is loaded.
  ///
  /// A view without an image shows the placeholder. An image in memory replaces the current one at once. Default:
  /// `false`, the view is cleared at once.
  public var keepsCurrentImage = false
  /// What is shown when the load fails. Default: the placeholder.
  ///
  /// An image that is shown stays when its revalidation or its larger version cannot be loaded.
  public var failure: FailureContent = .keepsPlaceholder
  /// The indicator shown while the image is loading. Default: none.
  ///
  /// There is none for an image in memory, and none while an image is revalidated or loaded again.
  public var indicator: LoadingIndicator = .none
  /// How a loaded image, or the ``FailureContent`` of a failed load, replaces the previous content. Default: without
  /// animation.
  ///
  /// Placeholders, previews and the larger version of an image in a view that has grown appear without animation.
  public var transition: ImageTransition = .none
  /// The origins whose images appear with the transition; all others appear without.
  ///
  /// Default: all but the caches. Failures and larger versions have no origin.
  public var transitionOrigins: Set<ImageOrigin> = [.network, .provider, .file, .inline]
  /// Whether the completion is called when the transition has ended, or was cut short by other content. Default: `false`,
  /// it is called when the transition begins.
  ///
  /// A custom transition, and in AppKit any, counts as ended when it has begun. The completion of a failed load does not
  /// wait for its content, and images that are shown again have no completion.
  public var completesAfterTransition = false
  /// The size at which the image is decoded, unless the request sets one. Default: the size of the view.
  ///
  /// ``RequestOptions/usesOriginalSize`` of the request overrides it.
  public var sizing: ViewSizing = .view
  /// Which previews of a partially downloaded image are shown, unless the request sets that.
  ///
  /// There are none of an image that is revalidated or loaded again. Default: `nil`, none.
  public var previews: PreviewPolicy?
  /// An image of lower resolution, loaded at the same time and shown until the image is loaded. Default: `nil`.
  ///
  /// It is not loaded for an image in memory, and not when an image is revalidated or loaded again.
  public var lowResolution: ImageRequest?
  /// Whether the load has the lowest priority while the view is hidden. Default: `true`.
  ///
  /// An image in memory needs no load, and the revalidation of a shown image never has more than a low priority. A hidden
  /// view loads no larger version.
  public var yieldsWhenHidden = true
  /// Whether the image is loaded, and held, only while the view is visible. Default: `false`.
  ///
  /// A hidden view shows its placeholder and releases its image, so that memory stays within the cache limit however
  /// many views there are; an image set on a hidden view is not loaded. When the view becomes visible, an image in
  /// memory is shown in the same frame, and any other is loaded again. For long lists, whose toolkits keep many more
  /// views than are visible.
  public var onlyWhileVisible = false
  /// Whether a tap on the view retries a failed load. Default: `false`.
  ///
  /// It does nothing while the view shows its image.
  public var retriesOnTap = false
  /// What happens to the load when the view is set to another image, or released, before its end. Default: it is
  /// cancelled.
  ///
  /// No effect after the end of the load: the load of a larger version, or of an image for a view that is visible again,
  /// is always cancelled.
  public var whenSuperseded: SupersededLoadPolicy = .cancel
  /// The group of images that are shown together. Default: `nil`, the image is shown when it is loaded.
  ///
  /// Later versions of the image are shown when they are loaded.
  public var transitionGroup: TransitionGroup?

  /// Creates options: those that are not named, or `nil`, have the values of ``default``.
  public init(
    placeholderDelay: Duration? = nil, keepsCurrentImage: Bool? = nil, failure: FailureContent? = nil,
    indicator: LoadingIndicator? = nil, transition: ImageTransition? = nil, sizing: ViewSizing? = nil,
    previews: PreviewPolicy? = nil, lowResolution: ImageRequest? = nil, onlyWhileVisible: Bool? = nil,
    retriesOnTap: Bool? = nil
  ) {
    self = Self.default
    if let placeholderDelay { self.placeholderDelay = placeholderDelay }
    if let keepsCurrentImage { self.keepsCurrentImage = keepsCurrentImage }
    if let failure { self.failure = failure }
    if let indicator { self.indicator = indicator }
    if let transition { self.transition = transition }
    if let sizing { self.sizing = sizing }
    if let previews { self.previews = previews }
    if let lowResolution { self.lowResolution = lowResolution }
    if let onlyWhileVisible { self.onlyWhileVisible = onlyWhileVisible }
    if let retriesOnTap { self.retriesOnTap = retriesOnTap }
  }

  private init(_: BuiltIn) {}
}

/// The defaults of the program.
extension ImageViewOptions {
  /// Stands for the documented default of each property.
  private struct BuiltIn {}

  private static let shared = Lock(ImageViewOptions(BuiltIn()))

  /// The options of calls without options, and the values with which `ImageViewOptions()` begins. Default: the
  /// documented default of each property.
  ///
  /// Set it at program start, or at any time for later calls. Safe from any thread.
  public static var `default`: ImageViewOptions {
    get { shared.withLock(\.self) }
    set {
      let old = shared.withLock { options in
        defer { options = newValue }
        return options
      }
      withExtendedLifetime(old) {}
    }
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
  /// The view's size in device pixels, multiplied by a factor above 0: 1 is sharp, 1.5 allows for zooming.
  ///
  /// The image is loaded again when the view grows.
  case view(factor: Double)
  /// The size of the image file.
  case original

  /// The view's size in device pixels. The default.
  public static let view = ViewSizing.view(factor: 1)
}

/// What happens to a load when its view is set to another image or released.
public enum SupersededLoadPolicy: Hashable, Sendable {
  /// It is cancelled. The default.
  case cancel
  /// It finishes at the lowest priority, so that its image is cached.
  case finish
}
