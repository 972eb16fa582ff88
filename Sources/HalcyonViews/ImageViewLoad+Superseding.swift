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
  ///
  /// - Parameter next: The load of the other image.
  func supersede(by next: ImageViewLoad? = nil) {
    willReleaseImage()
    // Of a task that has ended, the last event may still be to come.
    let result = pendingResult ?? task?.result ?? .failure(.cancelled)
    let finishes = options.finishesSuperseded == true && task != nil
    if !finishes { next?.keepTransfers(of: self) }
    stop()
    if !finishes { task?.cancel() }
    releaseTransfers()
    if finishes {
      task?.priority = .veryLow
      if !isFinished, pendingResult == nil { return }
    }
    if let transitioningResponse { return finish(.success(transitioningResponse)) }
    finish(.failure(.superseded(result)))
  }

  /// Keeps the transfers of the same bytes by superseded loads, for example of the same URL at another size, until this
  /// load has joined them: its first event shows that it has.
  private func keepTransfers(of previous: ImageViewLoad) {
    guard let request = viewRequest.request, viewRequest.pipeline === previous.viewRequest.pipeline,
      previous.viewRequest.request?.bytesKey == request.bytesKey
    else { return }
    let task = previous.task ?? previous.secondaryTask
    task?.ignore()
    keptTransfers = previous.keptTransfers + [task].compactMap(\.self)
    (previous.task, previous.secondaryTask, previous.keptTransfers) = (nil, nil, [])
  }

  /// The latest first: none starts a transfer of its own when an earlier one ends.
  func releaseTransfers() {
    for transfer in keptTransfers.reversed() { transfer.cancel() }
    keptTransfers = []
  }
}

extension ImageRequest {
  /// Equal for requests of the same bytes.
  fileprivate var bytesKey: CacheKey {
    var bytes = self
    (bytes.size, bytes.processors) = (.original, [])
    return ImagePipeline.cacheKey(for: bytes)
  }
}
