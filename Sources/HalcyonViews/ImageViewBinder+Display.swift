import HalcyonPipeline

/// What loads do to the display.
extension ImageViewBinder {
  func show(_ content: DisplayContent, transition: ImageTransition = .none) {
    self.content = content
    display?.show(content, transition: transition)
  }

  func startIndicator(_ indicator: LoadingIndicator) {
    stopIndicator()
    guard !indicator.isNone else { return }
    hasIndicator = true
    display?.showIndicator(indicator)
  }

  func updateIndicator(_ progress: LoadProgress) {
    if hasIndicator { display?.updateIndicator(progress) }
  }

  func stopIndicator() {
    guard hasIndicator else { return }
    hasIndicator = false
    display?.hideIndicator()
  }
}
