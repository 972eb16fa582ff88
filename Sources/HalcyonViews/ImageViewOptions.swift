public import HalcyonPipeline

/// How a view shows its image, and what it shows until then. A value: changing a copy changes no other.
///
/// What is loaded, and from where, is the request's business.
public struct ImageViewOptions: Sendable {
  /// How long the view stays empty before its placeholder comes, if the image is not there by then. Zero shows it at
  /// once. Default: 1 second.
  public var placeholderDelay: Duration = .seconds(1)
  /// How long a placeholder that came after its delay stays at least, so that it does not flash. One that was shown at
  /// once leaves as soon as there is something better. Default: 300 milliseconds.
  public var minimumPlaceholderTime: Duration = .milliseconds(300)
  /// Whether the image that is shown stays until the new one is there; a view without one gets its placeholder.
  /// Default: no, the view is emptied at once.
  public var keepsCurrentImage = false
  /// What is shown when the image cannot be loaded. Default: the placeholder.
  public var failure: FailureContent = .keepsPlaceholder
  /// What tells that the view is loading. Default: nothing.
  public var indicator: LoadingIndicator = .none
  /// How the image appears. Default: at once.
  public var transition: ImageTransition = .none
  /// From where an image has to come to appear by the transition; any other is there at once. Default: from everywhere
  /// but the caches, since what was seen before needs no announcement.
  public var transitionOrigins: Set<ImageOrigin> = [.network, .provider, .file, .inline]
  /// At which size the image is decoded, unless the request names one. Default: that of the view.
  public var sizing: ViewSizing = .view
  /// Whether, and how often, what has arrived of the image is shown, unless the request says so itself. Default: `nil`,
  /// not at all.
  public var previews: PreviewPolicy?
  /// An image of lower resolution that is shown until the right one is there. Both are loaded at once. Default: `nil`.
  public var lowResolution: ImageRequest?
  /// Whether the load gets the lowest priority while the view is hidden. Default: yes.
  public var yieldsWhenHidden = true
  /// Whether the image is loaded, and kept, only while the view is visible. Default: no.
  ///
  /// A view that is hidden shows its placeholder and lets go of its image, so that memory stays within the cache's limit
  /// however many views there are; one that is set while it is hidden does not begin to load. When it is seen again an
  /// image in memory is there in the same frame, and any other is loaded again. For long lists, whose toolkits keep many
  /// more views than are in sight.
  public var onlyWhileVisible = false
  /// Whether a tap on a view whose image could not be loaded tries again. Default: no.
  public var retriesOnTap = false
  /// What becomes of the load when the view is given something else before its end. Default: it is cancelled.
  public var whenSuperseded: SupersededLoadPolicy = .cancel
  /// The images with which this one is shown together. Default: `nil`, it is shown when it is there.
  public var transitionGroup: TransitionGroup?

  /// Creates options with the defaults named at each property.
  public init() {}
}
