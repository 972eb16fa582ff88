import HalcyonImaging
import HalcyonPipeline

extension ImageViewLoad {
  /// Loads the shown image again when the display wants more pixels than it has. One at a time: a window that is being
  /// resized asks at every step.
  func grow(_ request: ImageRequest, on display: any ImageDisplay, _ binder: ImageViewBinder) {
    guard isCurrent, sideTask == nil, order.followsDisplay, binder.isVisible, let image = shownImage, let pixelSize,
      image.hasMoreToShow, let wanted = order.pixelSize(on: display), wanted.exceeds(pixelSize)
    else { return }
    // Also where it fails, so that it is not tried at every step.
    self.pixelSize = wanted
    let sized = order.request(request, at: wanted, on: display)
    let lookup = binder.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup { return replace(with: image) }
    sideTask = follow(sized, after: lookup, binder) { [self] event in
      guard case .finished(let result) = event, isCurrent else { return }
      sideTask = nil
      if case .success(let response) = result { replace(with: response.image) }
      displayDidChange()
    }
  }

  func replace(with image: DecodedImage) {
    shownImage = image
    binder?.show(DisplayContent(.image(image), role: .image))
  }
}

extension PixelSize {
  fileprivate func exceeds(_ other: PixelSize) -> Bool { width > other.width || height > other.height }
}

extension DecodedImage {
  /// Whether the file can give more pixels than there are.
  fileprivate var hasMoreToShow: Bool { info.format == .svg || info.pixelSize.exceeds(size) }
}
