import HalcyonSupport
import HalcyonImaging
import HalcyonPipeline

/// A view shows the image that it was set to last: what other loads deliver is dropped.
extension ImageViewLoad {
  /// Whether the view has not been set to another image: the single condition under which late results are dropped.
  var isCurrent: Bool { binder?.current === self }

  /// Whether its images are shown: it is current, and not finished.
  var isActive: Bool { isCurrent && !isFinished }

  /// The view has been set to another image, or released.
  func supersede() {
    willReleaseImage()
    stop()
    if options.finishesSuperseded == true, let task {
      task.priority = .veryLow
      if !isFinished, pendingResult == nil { return }
    } else {
      task?.cancel()
    }
    if let transitioningResponse { return finish(.success(transitioningResponse)) }
    // Of a task that has ended, the last event may still be to come.
    finish(.failure(.superseded(pendingResult ?? task?.result ?? .failure(.cancelled))))
  }
}
