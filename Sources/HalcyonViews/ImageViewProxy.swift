public import Foundation
public import HalcyonImaging
public import HalcyonPipeline

/// Sets and observes the image of one view: `view.hc` in every toolkit.
///
/// ```swift
/// view.hc.setImage(with: url, placeholder: .icon("image-x-generic"))
/// ```
///
/// A view shows the image that was set last, and never the late result of an earlier call. An image in memory is shown
/// before `setImage` returns; any other is loaded while the view shows its placeholder. Destroying the view cancels its
/// load.
@MainActor
public struct ImageViewProxy {
  /// Called once, with the image that the view shows or the reason why it does not show it.
  public typealias Completion = @MainActor (Result<ImageResponse, ImageViewError>) -> Void

  /// The binder of the view.
  package let binder: ImageViewBinder

  /// The view's own pipeline: it loads the images set from now on, unless a call names another one.
  ///
  /// A load that has been started keeps its pipeline, also for retries and reloads.
  public var pipeline: ImagePipeline {
    get { binder.pipeline }
    nonmutating set { binder.pipeline = newValue }
  }
  /// The options of all images that are set from now on, for options that a call does not set, such as an indicator; they
  /// win over those of the pipeline. Default: none.
  public var options: ImageViewOptions {
    get { binder.options }
    nonmutating set { binder.options = newValue }
  }
  /// Plays, pauses and observes the animation that the view shows.
  public var animation: AnimationController { binder.animation }
  /// Called with each new phase of the view, such as a retry: for what a program shows beside the image, or tells a screen
  /// reader. Default: none.
  ///
  /// It stays when another image is set. Completions are called before it.
  public var onPhaseChange: (@MainActor (ImagePhase) -> Void)? {
    get { binder.onPhaseChange }
    nonmutating set { binder.onPhaseChange = newValue }
  }
  /// The state of the view's load: loading, showing an image, or failed.
  public var phase: ImagePhase { binder.phase }
  /// Whether a load is in flight.
  public var isLoading: Bool { binder.isLoading }
  /// The request that was set last, with the default options of its pipeline; `nil` for a view that was set to no image.
  public var request: ImageRequest? { binder.current?.viewRequest.request }

  /// Shows the image at a URL, superseding the previous load of the view.
  ///
  /// `nil` shows the placeholder and completes with ``ImageViewError/emptySource``. Otherwise the same as
  /// ``setImage(with:placeholder:options:pipeline:completion:)`` with a request of these properties.
  ///
  /// ```swift
  /// view.hc.setImage(with: url, loading: .reload, options: .fade(.seconds(1), always: true))
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the image.
  ///   - size: The size in pixels at which the image is decoded. Default: `nil`, the size of the view
  ///     (``ImageViewOptions/sizing``).
  ///   - placeholder: Shown until the image is loaded. Default: `nil`, ``ImageViewOptions/placeholder``.
  ///   - loading: How the image is loaded and cached. Default: as the pipeline and the program say.
  ///   - options: How the image is shown. Default: as the pipeline and the program say.
  ///   - pipeline: The pipeline that loads this image. Default: `nil`, the view's own ``pipeline``.
  ///   - completion: Called exactly once, as for a request.
  /// - Returns: The load, or `nil` if it has ended before this returns.
  @discardableResult
  public func setImage(
    with url: URL?, size: TargetSize? = nil, placeholder: ImagePlaceholder? = nil, loading: RequestOptions = [],
    options: ImageViewOptions = [], pipeline: ImagePipeline? = nil, completion: Completion? = nil
  ) -> ImageViewLoad? {
    let request = url.map { ImageRequest(url: $0, size: size) { $0.options = loading } }
    return set(request, placeholder, options, pipeline, completion)
  }

  /// Shows the image at the URL in a text; one that is not a valid URL completes with ``ImageError/invalidURL(_:)``.
  ///
  /// Otherwise the same as ``setImage(with:size:placeholder:loading:options:pipeline:completion:)-(URL?,_,_,_,_,_,_)``.
  @_disfavoredOverload
  @discardableResult
  public func setImage(
    with text: String?, size: TargetSize? = nil, placeholder: ImagePlaceholder? = nil, loading: RequestOptions = [],
    options: ImageViewOptions = [], pipeline: ImagePipeline? = nil, completion: Completion? = nil
  ) -> ImageViewLoad? {
    let request = text.map { ImageRequest(source: .string($0), size: size) { $0.options = loading } }
    return set(request, placeholder, options, pipeline, completion)
  }

  /// Shows the image of a request, superseding the previous load of the view.
  ///
  /// A cached image is shown at once, also if it is stale: then it is revalidated in the background, and replaced in
  /// place if it has changed. A view without a size starts loading when it has one.
  ///
  /// ```swift
  /// view.hc.setImage(with: request)?.onProgress { bar.fraction = $0.fraction ?? 0 }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The image to load, and its size if that differs from the view's.
  ///   - placeholder: Shown until the image is loaded. Default: `nil`, ``ImageViewOptions/placeholder``.
  ///   - options: How the image is loaded and shown. Default: those of the pipeline and of the program.
  ///   - pipeline: The pipeline that loads this image. Default: `nil`, the view's own ``pipeline``.
  ///   - completion: Called exactly once: before this returns for an image in memory, otherwise when the transition of the
  ///     image has ended or was cut short by other content, when the load fails or is cancelled, or when the view is set
  ///     to another image or released. A failure does not wait for its content.
  /// - Returns: The load, or `nil` if it has ended before this returns.
  @discardableResult
  public func setImage(
    with request: ImageRequest, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = [],
    pipeline: ImagePipeline? = nil, completion: Completion? = nil
  ) -> ImageViewLoad? {
    set(request, placeholder, options, pipeline, completion)
  }

  /// Cancels the load in flight, if any, with ``ImageViewError/cancelled(request:)``. The view's content stays.
  public func cancel() { binder.cancel() }

  /// Loads an image that has failed or was cancelled again.
  ///
  /// The server is contacted even if the pipeline remembers a recent failure.
  ///
  /// - Parameter completion: Called once, with the result of this attempt.
  /// - Returns: The load, or `nil` if nothing has failed or the load has finished before this returns.
  @discardableResult
  public func retry(completion: Completion? = nil) -> ImageViewLoad? { binder.retry(completion: completion) }

  private func set(
    _ request: ImageRequest?, _ placeholder: ImagePlaceholder?, _ options: ImageViewOptions, _ pipeline: ImagePipeline?,
    _ completion: Completion?
  ) -> ImageViewLoad? {
    let options = options.over(binder.options)
    return binder.apply(ViewRequest(request, placeholder, options, pipeline ?? self.pipeline), completion)
  }
}
