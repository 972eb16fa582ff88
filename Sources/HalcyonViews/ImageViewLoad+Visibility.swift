import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport

/// What a hidden view does: it loads at a lower priority, and may release its image.
extension ImageViewLoad {
  /// Whether the view may hold its image now.
  var mayHoldImage: Bool { options.onlyWhileVisible != true || binder?.isVisible != false }

  func priority(of request: ImageRequest) -> ImagePriority {
    binder?.isVisible == false ? .veryLow : request.priority ?? .normal
  }

  func visibilityDidChange() {
    if let task, !isRevalidating { task.priority = priority(of: task.request) }
    if let secondaryTask { secondaryTask.priority = priority(of: secondaryTask.request) }
    if isCurrent, isFinished, options.onlyWhileVisible == true {
      if mayHoldImage { restoreImage() } else if shownImage != nil || hasReleasedImage { releaseImage() }
    }
    displayDidChange()
  }

  /// Replaces the image of a hidden view by the placeholder.
  func releaseImage() {
    cancelSecondaryTask()
    willReleaseImage()
    (shownImage, hasReleasedImage) = (nil, true)
    binder?.show(placeholder)
  }

  /// The view stops showing its image, which the pipeline may keep for a moment.
  func willReleaseImage() {
    if shownImage != nil, let sizedRequest { viewRequest.pipeline.viewWillRelease(sizedRequest) }
  }

  /// Shows a released image again, from memory or after a reload.
  ///
  /// A failed reload is tried again when the view becomes visible the next time.
  func restoreImage() {
    guard hasReleasedImage, let display = binder?.display, let request = viewRequest.request else { return }
    pixelSize = viewRequest.pixelSize(of: display) ?? pixelSize
    reload(request, on: display) { [self] result in
      switch result {
      case .success(let response):
        showImage(of: response)
        displayDidChange()
      case .failure(.cancelled): break
      case .failure(let error):
        self.error = .loading(error)
        showFailure()
      }
    }
  }
}
