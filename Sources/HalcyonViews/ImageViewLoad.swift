import HalcyonHTTP
import HalcyonSupport
import HalcyonImaging
public import HalcyonPipeline

/// The load that one `setImage` call has started for one view.
///
/// A cached image is shown at once, also if it is stale; then it is revalidated in the background, and replaced in place
/// if it has changed. As long as the view is set to its image, the load also loads that image again: at a larger size
/// when the view grows, and when a view with ``ImageViewOptions/onlyWhileVisible`` becomes visible again.
@MainActor
public final class ImageViewLoad {
  /// Whether its completion has been called.
  package private(set) var isFinished = false

  let viewRequest: ViewRequest

  weak var binder: ImageViewBinder?
  let placeholderPhase: PlaceholderTiming
  private var progress: LoadProgress?
  private var progressActions: [@MainActor (LoadProgress) -> Void] = []
  private var onCompletion: ImageViewBinder.Completion?
  /// Why the view does not show the image.
  var error: ImageViewError?

  /// The load of the requested image, or its revalidation.
  var task: ViewTask?
  /// Superseded loads of the same bytes, which go on until ``task`` has joined their transfer.
  var keptTransfers: [ViewTask] = []
  /// Whether a stale image is shown, or about to be, while ``task`` revalidates it.
  var isRevalidating = false
  /// Before the end the load of the low-resolution image, after it a reload of the image.
  var secondaryTask: ViewTask?
  /// The result of ``task``, from its end until it is shown.
  var pendingResult: Result<ImageResponse, ImageError>?
  /// The response that is shown, until its transition and with it the load has ended.
  var transitioningResponse: ImageResponse?

  /// How many images the load has shown with a completion to follow.
  var showCount = 0

  /// The image that the view shows, loaded for ``pixelSize``.
  var shownImage: DecodedImage?
  var pixelSize: PixelSize?
  /// The request at that size.
  var sizedRequest: ImageRequest?
  /// The size for which ``task`` loads the image.
  var taskPixelSize: PixelSize?
  /// Whether the load starts only when the display has a size or is visible.
  var awaitsDisplay = false
  /// Whether the hidden view has released its image, which is shown again when the view becomes visible.
  var hasReleasedImage = false
  /// The request of the image that the view shows, until the end of the load.
  var replacedRequest: ImageRequest?
  /// Whether the view still shows the image that it is set to again.
  var showsRepeatedImage = false
  /// Whether the indicator and the placeholder have been started.
  var hasShownLoading = false

  init(
    _ viewRequest: ViewRequest, binder: ImageViewBinder, time: any TimeSource, onCompletion: ImageViewBinder.Completion?
  ) {
    self.viewRequest = viewRequest
    self.binder = binder
    self.onCompletion = onCompletion
    placeholderPhase = PlaceholderTiming(time: time)
    // Also a load that never starts counts as a member.
    options.transitionGroup?.join(self)
  }

  /// Calls a closure with the progress of the load: now if bytes have been received, and with each change until the load
  /// ends or is superseded. A load may have several closures.
  ///
  /// - Returns: The load.
  @discardableResult
  public func onProgress(_ action: @escaping @MainActor (LoadProgress) -> Void) -> ImageViewLoad {
    guard isActive else { return self }
    progressActions.append(action)
    if let progress { action(progress) }
    return self
  }

  /// Cancels the load with ``ImageViewError/cancelled``, unless it has finished. The view's content stays.
  ///
  /// A revalidation in the background ends as well.
  public func cancel() {
    stop()
    task?.cancel()
    releaseTransfers()
    (task, isRevalidating) = (nil, false)
    finish(transitioningResponse.map { .success($0) } ?? .failure(.cancelled))
  }

  var options: ImageViewOptions { viewRequest.options }
}

/// Calls of the binder.
extension ImageViewLoad {
  /// Whether the image is being loaded, for the first time or after the view has released it.
  ///
  /// The revalidation of an image that is shown does not count.
  var isLoading: Bool { !isFinished && transitioningResponse == nil || hasReleasedImage && secondaryTask != nil }

  /// Whether a retry makes sense.
  var hasFailed: Bool {
    switch error {
    case .cancelled, .loading: true
    default: false
    }
  }

  var wasCancelled: Bool {
    if case .cancelled = error { return true }
    return false
  }

  func start() {
    guard let display = binder?.display else { return supersede() }
    guard let request = viewRequest.request else {
      binder?.show(placeholder)
      finish(.failure(.emptySource))
      options.transitionGroup?.leave(self)
      return
    }
    // A load that waits until its view is visible does not delay the group.
    if !mayHoldImage { options.transitionGroup?.leave(self) }
    begin(request, on: display)
  }

  func displayDidChange() {
    guard let display = binder?.display, let request = viewRequest.request else { return }
    if isFinished {
      reloadIfLarger(request, on: display)
    } else if awaitsDisplay {
      begin(request, on: display)
    }
  }
}

extension ImageViewLoad {
  /// Stops timers, secondary loads and the indicator, and leaves the group.
  func stop() {
    placeholderPhase.cancel()
    cancelSecondaryTask()
    if isCurrent { binder?.stopIndicator() }
    options.transitionGroup?.leave(self)
  }

  func cancelSecondaryTask() {
    secondaryTask?.cancel()
    secondaryTask = nil
  }

  func reportProgress(_ progress: LoadProgress) {
    self.progress = progress
    binder?.updateIndicator(progress)
    for action in progressActions { action(progress) }
  }

  func finish(_ result: Result<ImageResponse, ImageViewError>) {
    guard !isFinished else { return }
    isFinished = true
    if !isRevalidating {
      task = nil
      releaseTransfers()
    }
    (pendingResult, transitioningResponse) = (nil, nil)
    progressActions = []
    replacedRequest = nil
    if case .failure(let error) = result { self.error = error }
    let completion = onCompletion
    onCompletion = nil
    completion?(result)
  }
}
