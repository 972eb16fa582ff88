public import HalcyonSupport
public import HalcyonPipeline
public import Foundation

/// Decides what one view shows, and when: every toolkit's `setImage` stands on it.
///
/// A view shows the image that it was given last, and never a late one of before. An image in memory is there when
/// `setImage` returns; anything else is loaded while the view shows its placeholder. The binder belongs to the view's
/// adapter and goes with it, which cancels what is being loaded.
@MainActor
public final class ImageViewBinder {
  /// Called once, with the image that the view shows or the reason why it does not.
  public typealias Completion = @MainActor (Result<ImageResponse, ImageViewError>) -> Void

  /// What is drawn on; `nil` once it is gone.
  public private(set) weak var display: (any ImageDisplay)?
  /// What loads the images that are set from now on.
  public var pipeline: ImagePipeline
  /// What the display shows.
  public internal(set) var content: DisplayContent = .nothing
  /// What was asked for last, whether it has ended or not.
  private(set) var current: ImageViewLoad?

  /// Whether the display has an indicator over its content.
  var hasIndicator = false
  private let time: any TimeSource

  /// Creates a binder.
  ///
  /// - Parameters:
  ///   - display: What is drawn on. It is not kept alive, so it may own the binder.
  ///   - pipeline: What loads the images.
  ///   - time: The clock of all delays; `nil` takes the pipeline's.
  public init(display: any ImageDisplay, pipeline: ImagePipeline, time: (any TimeSource)? = nil) {
    self.display = display
    self.pipeline = pipeline
    self.time = time ?? pipeline.configuration.time
  }

  deinit {
    guard let current else { return }
    Task { @MainActor in current.release() }
  }

  /// Whether an image is on its way.
  public var isLoading: Bool { current?.isLoading ?? false }

  /// Whether somebody can see the view. The adapter keeps this up to date. Default: yes.
  public var isVisible = true {
    didSet {
      guard isVisible != oldValue else { return }
      current?.visibilityDidChange()
    }
  }

  /// Shows the image at an address; `nil` shows the placeholder and completes with ``ImageViewError/emptySource``.
  ///
  /// Works as ``setImage(with:placeholder:options:completion:progress:)`` with a request does.
  @discardableResult
  public func setImage(
    with url: URL?, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = ImageViewOptions(),
    completion: Completion? = nil, progress: (@MainActor (LoadProgress) -> Void)? = nil
  ) -> ImageViewLoad? {
    let order = ViewRequest(request: url.map { ImageRequest(url: $0) }, placeholder: placeholder, options: options)
    return carryOut(order, progress: progress, completion: completion)
  }

  /// Shows the image that a request describes, in place of what was asked for before.
  ///
  /// A view without a size begins to load when it has got one.
  ///
  /// - Parameters:
  ///   - request: What to load, and at which size if that is not the view's.
  ///   - placeholder: What stands in for the image. Default: nothing.
  ///   - options: How the image is shown.
  ///   - completion: Told the end, exactly once: before this returns for an image in memory, else when the image is
  ///     shown, cannot be, is cancelled, or when the view is given something else or goes away.
  ///   - progress: Told how far the load is, as long as the view wants this image.
  /// - Returns: What is under way; `nil` for what has ended when this returns.
  @discardableResult
  public func setImage(
    with request: ImageRequest, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = ImageViewOptions(),
    completion: Completion? = nil, progress: (@MainActor (LoadProgress) -> Void)? = nil
  ) -> ImageViewLoad? {
    let order = ViewRequest(request: request, placeholder: placeholder, options: options)
    return carryOut(order, progress: progress, completion: completion)
  }

  /// Ends the load with ``ImageViewError/cancelled``, if there is one. What is shown stays.
  public func cancel() { current?.cancel() }

  /// Loads once more what could not be loaded, or was cancelled, and asks the server even if it is known to have failed.
  ///
  /// - Parameter completion: Told the end of this attempt.
  /// - Returns: What is under way; `nil` when nothing has failed.
  @discardableResult
  public func retry(completion: Completion? = nil) -> ImageViewLoad? {
    guard let current, current.hasFailed else { return nil }
    var order = current.order
    order.isRetry = true
    return carryOut(order, progress: nil, completion: completion)
  }

  /// Tries again where the options want that. The adapter calls this when somebody taps the view.
  ///
  /// - Returns: Whether it tries again, so that the tap means nothing else.
  @discardableResult
  public func didTap() -> Bool {
    guard let current, current.hasFailed, current.order.options.retriesOnTap else { return false }
    retry()
    return true
  }

  /// Begins what waited for a size, and loads an image anew that has become too small. The adapter calls this whenever
  /// the display's size, scale or mode has changed.
  public func displayDidChange() { current?.displayDidChange() }

  /// Whether this is what the view was given last, and nobody has cancelled it: setting it again would only repeat what
  /// has been shown, or has failed, already. For toolkits that set everything anew whenever something changes.
  public func isBound(to request: ImageRequest?) -> Bool {
    guard let current, !current.wasCancelled else { return false }
    return current.order.request.map(ImagePipeline.cacheKey) == request.map(ImagePipeline.cacheKey)
  }

  private func carryOut(
    _ order: ViewRequest, progress: (@MainActor (LoadProgress) -> Void)?, completion: Completion?
  ) -> ImageViewLoad? {
    let load = ImageViewLoad(order, binder: self, time: time, onProgress: progress, onCompletion: completion)
    let previous = current
    current = load
    stopIndicator()
    previous?.supersede()
    // Its completion may have given the view something else again.
    if load.isCurrent { load.start() }
    return load.isFinished ? nil : load
  }
}
