import HalcyonSupport
import HalcyonImaging
import HalcyonPipeline

/// One image on its way into one view.
@MainActor
public final class ImageViewLoad {
  /// Whether its completion has been called.
  public private(set) var isFinished = false

  let order: ViewRequest
  weak var binder: ImageViewBinder?
  let phase: PlaceholderPhase
  var onProgress: (@MainActor (LoadProgress) -> Void)?
  /// The load of the image that was asked for.
  var task: ImageTask?
  /// Makes an image known early in low resolution, or larger after the end.
  var sideTask: ImageTask?
  /// What came of the load, from when it is known to when it is shown.
  var result: Result<ImageResponse, ImageError>?
  /// The image that the view shows, loaded for `pixelSize`.
  var shownImage: DecodedImage?
  var pixelSize: PixelSize?
  /// Whether the load begins when the display has got a size, or is visible.
  var awaitsDisplay = false
  /// Whether the view has let go of its image, which it shows again when it is visible.
  var isLetGo = false
  /// Whether the view shows that there is something to wait for.
  var isPrepared = false

  private var onCompletion: ImageViewBinder.Completion?
  private var error: ImageViewError?

  init(
    _ order: ViewRequest, binder: ImageViewBinder, time: any TimeSource,
    onProgress: (@MainActor (LoadProgress) -> Void)?, onCompletion: ImageViewBinder.Completion?
  ) {
    self.order = order
    self.binder = binder
    self.onProgress = onProgress
    self.onCompletion = onCompletion
    phase = PlaceholderPhase(time: time)
  }

  /// Whether the view still wants this image.
  var isCurrent: Bool { binder?.current === self }

  var options: ImageViewOptions { order.options }

  /// Whether an image is on its way: for the first time, or again after it was let go of.
  var isLoading: Bool { !isFinished || isLetGo && sideTask != nil }

  /// Whether it makes sense to try again.
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

  /// Ends the load with ``ImageViewError/cancelled``, unless it has ended already. What the view shows stays.
  public func cancel() {
    stop()
    guard !isFinished else { return }
    task?.cancel()
    finish(.failure(.cancelled))
  }

  /// The view has been given something else.
  func supersede() {
    stop()
    guard !isFinished else { return }
    if result == nil, let task {
      if options.whenSuperseded == .finish {
        task.priority = .veryLow
        return
      }
      // Where the end came first, and nobody knew of it yet, that stands.
      task.cancel()
      result = task.result
    }
    finish(.failure(.superseded(result ?? .failure(.cancelled))))
  }

  /// The view is gone.
  func release() {
    stop()
    task?.cancel()
    finish(.failure(.superseded(result ?? task?.result ?? .failure(.cancelled))))
  }

  /// Leaves the display alone from now on.
  func stop() {
    phase.cancel()
    sideTask?.cancel()
    sideTask = nil
    if isCurrent { binder?.stopIndicator() }
    options.transitionGroup?.leave(self)
  }

  func finish(_ end: Result<ImageResponse, ImageViewError>) {
    guard !isFinished else { return }
    isFinished = true
    task = nil
    result = nil
    onProgress = nil
    if case .failure(let error) = end { self.error = error }
    let completion = onCompletion
    onCompletion = nil
    completion?(end)
  }
}
