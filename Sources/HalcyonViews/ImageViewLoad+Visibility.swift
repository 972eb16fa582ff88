import HalcyonSupport
import HalcyonHTTP
import HalcyonPipeline

/// What becomes of a load when its view is hidden, and when that is seen again.
extension ImageViewLoad {
  /// Whether the view is to have its image now.
  var isWanted: Bool { !options.onlyWhileVisible || binder?.isVisible != false }

  func visibilityDidChange() {
    for task in [task, sideTask] { task?.priority = priority(task?.request.priority ?? .normal) }
    if let binder, isCurrent, isFinished, options.onlyWhileVisible {
      if isWanted { comeBack(on: binder) } else if shownImage != nil || isLetGo { letGo(on: binder) }
    }
    displayDidChange()
  }

  func letGo(on binder: ImageViewBinder) {
    sideTask?.cancel()
    (sideTask, shownImage, isLetGo) = (nil, nil, true)
    binder.show(standIn)
  }

  private func comeBack(on binder: ImageViewBinder) {
    guard isLetGo, let display = binder.display, let request = order.request else { return }
    pixelSize = order.pixelSize(on: display) ?? pixelSize
    var sized = order.request(request, at: pixelSize, on: display)
    // The server has been asked already, where that was wanted.
    if sized.freshness.contactsServerFirst { sized.freshness = .standard }
    let lookup = binder.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup {
      isLetGo = false
      return replace(with: image)
    }
    sideTask = follow(sized, after: lookup, binder) { [self] event in
      guard case .finished(let result) = event, isCurrent, isLetGo else { return }
      sideTask = nil
      if let binder = self.binder { comeBack(with: result, on: binder) }
    }
  }

  /// What cannot be loaded is tried again when the view is seen the next time.
  private func comeBack(with result: Result<ImageResponse, ImageError>, on binder: ImageViewBinder) {
    switch result {
    case .success(let response):
      isLetGo = false
      present(response, on: binder)
      displayDidChange()
    case .failure(.cancelled): break
    case .failure: showFailure(on: binder)
    }
  }
}
