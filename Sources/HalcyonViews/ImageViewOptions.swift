import HalcyonSupport
public import HalcyonPipeline

/// How a view shows its image, and what it shows while the image is loading.
///
/// A value type. What is loaded, and from where, is configured by the ``ImageRequest``. ``default`` changes the defaults
/// of the program, ``PipelineConfiguration/defaultViewOptions`` those of a pipeline. Options that have been set override
/// both, also if they have been set to the same value.
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
  @ViewOption public var placeholderDelay = PlaceholderTiming.defaultDelay
  /// The shortest time for which a placeholder that was shown after its delay stays, so that it does not flash.
  ///
  /// A placeholder that was shown at once is replaced as soon as the image is loaded, and an image in memory is shown
  /// without one. Default: 300 milliseconds.
  @ViewOption public var minimumPlaceholderTime = PlaceholderTiming.defaultMinimum
  /// Whether the current image stays until the next one is loaded.
  ///
  /// A view without an image shows the placeholder. An image in memory replaces the current one at once. Default:
  /// `false`, the view is cleared at once.
  @ViewOption public var keepsCurrentImage = false
  /// What is shown when the load fails. Default: the placeholder.
  ///
  /// An image that is shown stays when its revalidation or its larger version cannot be loaded.
  @ViewOption public var failure: FailureContent = .keepsPlaceholder
  /// The indicator shown while the image is loading. Default: none.
  ///
  /// There is none for an image in memory, and none while an image is revalidated or loaded again.
  @ViewOption public var indicator: LoadingIndicator = .none
  /// How a loaded image, or the ``FailureContent`` of a failed load, replaces the previous content. Default: without
  /// animation.
  ///
  /// Placeholders, previews and the larger version of an image in a view that has grown appear without animation.
  @ViewOption public var transition: ImageTransition = .none
  /// The origins whose images appear with the transition; all others appear without.
  ///
  /// Default: all but the caches. Failures and larger versions have no origin.
  @ViewOption public var transitionOrigins: Set<ImageOrigin> = [.network, .provider, .file, .inline]
  /// Whether the completion is called when the transition has ended, or was cut short by other content. Default: `false`,
  /// it is called when the transition begins.
  ///
  /// A custom transition, and in SwiftUI any, counts as ended when it has begun. The completion of a failed load does not
  /// wait for its content, and images that are shown again have no completion.
  @ViewOption public var completesAfterTransition = false
  /// The size at which the image is decoded, unless the request sets one. Default: the size of the view.
  ///
  /// ``RequestOptions/usesOriginalSize`` of the request overrides it.
  @ViewOption public var sizing: ViewSizing = .view
  /// Which previews of a partially downloaded image are shown, unless the request sets that.
  ///
  /// There are none of an image that is revalidated or loaded again. Default: `nil`, none.
  @ViewOption public var previews: PreviewPolicy? = nil
  /// An image of lower resolution, loaded at the same time and shown until the image is loaded. Default: `nil`.
  ///
  /// It is not loaded for an image in memory, and not when an image is revalidated or loaded again.
  @ViewOption public var lowResolution: ImageRequest? = nil
  /// Whether the load has the lowest priority while the view is hidden. Default: `true`.
  ///
  /// An image in memory needs no load, and the revalidation of a shown image never has more than a low priority. A hidden
  /// view loads no larger version.
  @ViewOption public var yieldsWhenHidden = true
  /// Whether the image is loaded, and held, only while the view is visible. Default: `false`.
  ///
  /// A hidden view shows its placeholder and releases its image, so that memory stays within the cache limit however
  /// many views there are; an image set on a hidden view is not loaded. When the view becomes visible, an image in
  /// memory is shown in the same frame, and any other is loaded again. For long lists, whose toolkits keep many more
  /// views than are visible.
  @ViewOption public var onlyWhileVisible = false
  /// Whether a tap on the view retries a failed load. Default: `false`.
  ///
  /// It does nothing while the view shows its image.
  @ViewOption public var retriesOnTap = false
  /// What happens to the load when the view is set to another image, or released, before its end. Default: it is
  /// cancelled.
  ///
  /// No effect after the end of the load: the load of a larger version, or of an image for a view that is visible again,
  /// is always cancelled.
  @ViewOption public var whenSuperseded: SupersededLoadPolicy = .cancel
  /// The group of images that are shown together. Default: `nil`, the image is shown when it is loaded.
  ///
  /// Later versions of the image are shown when they are loaded.
  @ViewOption public var transitionGroup: TransitionGroup? = nil
  /// How an animated image plays. Default: automatically, as often as its file says.
  ///
  /// Placeholders and previews that are animated always do. ``ImageViewBinder/animation`` controls it later. No effect in
  /// views that show only the first frame, such as buttons.
  @ViewOption public var animation = AnimationPlayback()

  /// Creates options: those that are not named, or `nil`, have the values of ``default``.
  public init(
    placeholderDelay: Duration? = nil, keepsCurrentImage: Bool? = nil, failure: FailureContent? = nil,
    indicator: LoadingIndicator? = nil, transition: ImageTransition? = nil, sizing: ViewSizing? = nil,
    previews: PreviewPolicy? = nil, lowResolution: ImageRequest? = nil, onlyWhileVisible: Bool? = nil,
    retriesOnTap: Bool? = nil, animation: AnimationPlayback? = nil
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
    if let animation { self.animation = animation }
  }

  private init(_: BuiltIn) {}

  /// Every option, once: merging follows from this list. `ViewOptionTests` fails if an option is missing.
  private static func visitAll(_ visit: Visitor) {
    visit.option(\._placeholderDelay)
    visit.option(\._minimumPlaceholderTime)
    visit.option(\._keepsCurrentImage)
    visit.option(\._failure)
    visit.option(\._indicator)
    visit.option(\._transition)
    visit.option(\._transitionOrigins)
    visit.option(\._completesAfterTransition)
    visit.option(\._sizing)
    visit.option(\._previews)
    visit.option(\._lowResolution)
    visit.option(\._yieldsWhenHidden)
    visit.option(\._onlyWhileVisible)
    visit.option(\._retriesOnTap)
    visit.option(\._whenSuperseded)
    visit.option(\._transitionGroup)
    visit.option(\._animation)
  }

  /// What is done with each option.
  private final class Visitor {
    private(set) var options: ImageViewOptions
    private let defaults: ImageViewOptions?

    /// - Parameter defaults: Replace options that are not set; `nil` marks all options as not set.
    init(_ options: ImageViewOptions, defaults: ImageViewOptions?) {
      self.options = options
      self.defaults = defaults
    }

    func option<Value>(_ option: WritableKeyPath<ImageViewOptions, ViewOption<Value>>) {
      if let defaults {
        let value = defaults[keyPath: option]
        if !options[keyPath: option].isSet, value.isSet { options[keyPath: option] = value }
      } else {
        options[keyPath: option].isSet = false
      }
    }
  }

  /// These options, with those that are not set taken from `defaults` if they are set there.
  func over(_ defaults: ImageViewOptions) -> ImageViewOptions {
    let visitor = Visitor(self, defaults: defaults)
    Self.visitAll(visitor)
    return visitor.options
  }

  /// The same values as defaults of options that are not set.
  private var asDefaults: ImageViewOptions {
    let visitor = Visitor(self, defaults: nil)
    Self.visitAll(visitor)
    return visitor.options
  }
}

/// An option of a view with its default, and whether it has been set.
@propertyWrapper
public struct ViewOption<Value: Sendable>: Sendable {
  /// The value that has been set, or the default.
  public var wrappedValue: Value {
    didSet { isSet = true }
  }
  var isSet = false

  /// Creates an option that is not set.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }
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
      // They are set, but not for a single view: the defaults of a pipeline override them.
      let defaults = newValue.asDefaults
      let old = shared.withLock { options in
        defer { options = defaults }
        return options
      }
      withExtendedLifetime(old) {}
    }
  }
}

extension PipelineConfiguration {
  /// The options of views that show images of this pipeline, for options that a call does not set; they override
  /// ``ImageViewOptions/default``. Default: none.
  public var defaultViewOptions: ImageViewOptions {
    get { viewOptions as? ImageViewOptions ?? .default }
    set { viewOptions = newValue }
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
