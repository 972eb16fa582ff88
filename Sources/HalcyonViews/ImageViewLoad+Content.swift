import HalcyonImaging
import HalcyonPipeline

/// Content of the view.
extension ImageViewLoad {
  var placeholder: DisplayContent {
    DisplayContent(viewRequest.placeholder?.picture ?? .none, role: .placeholder)
  }

  /// Shows the indicator at once and the placeholder after its delay. Idempotent.
  func showLoading() {
    guard !hasShownLoading, let binder else { return }
    hasShownLoading = true
    binder.startIndicator(options.indicator ?? .hidden)
    if binder.content.hasLoadedImage, options.keepsCurrentImage == true || repeatsImage { return }
    let delay = viewRequest.isRetry ? .zero : options.placeholderDelay ?? PlaceholderTiming.defaultDelay
    if delay > .zero, !binder.content.isEmpty { binder.show(.nothing) }
    guard viewRequest.placeholder != nil || delay <= .zero else { return }
    // The timer retains the load, which holds the binder weakly: it does not keep a released view alive.
    placeholderPhase.begin(delay: delay) { [self] in
      self.binder?.show(placeholder)
    }
  }

  /// Whether the view shows the image that it is set to again, so that it is not cleared.
  private var repeatsImage: Bool {
    guard let replacedRequest, let request = viewRequest.request else { return false }
    showsRepeatedImage = ImagePipeline.cacheKey(for: replacedRequest) == ImagePipeline.cacheKey(for: request)
    return showsRepeatedImage
  }

  /// The request of the image that the view shows, if that was loaded by `pipeline`.
  func shownRequest(by pipeline: ImagePipeline) -> ImageRequest? {
    let isShown = shownImage != nil || showsRepeatedImage
    return isShown && pipeline === viewRequest.pipeline ? viewRequest.request : nil
  }

  func showPreview(_ image: DecodedImage) {
    guard isActive, pendingResult == nil, options.transitionGroup == nil else { return }
    placeholderPhase.end { [self] in binder?.show(DisplayContent(.image(image), role: .preview)) }
  }

  func show(_ result: Result<ImageResponse, ImageError>) {
    guard !isFinished, let binder else { return }
    stop()
    guard binder.display != nil else { return finish(.failure(.superseded(result))) }
    switch result {
    case .success(let response): show(response)
    case .failure(.cancelled):
      finish(.failure(.cancelled))
    case .failure(let error):
      showFailure()
      finish(.failure(.loading(error)))
    }
  }

  private func show(_ response: ImageResponse) {
    showCount += 1
    let number = showCount
    let end: @MainActor () -> Void = { [self] in
      // The end of a transition that was replaced by this load's own revalidated image does not count.
      guard number == showCount else { return }
      finish(.success(response))
      // The display may have grown during the load.
      displayDidChange()
    }
    transitioningResponse = response
    showImage(of: response, onTransitionEnd: end)
  }

  /// Shows a loaded image; in a hidden view that may not hold it, the placeholder.
  func showImage(of response: ImageResponse, onTransitionEnd: (@MainActor () -> Void)? = nil) {
    guard mayHoldImage else {
      releaseImage()
      onTransitionEnd?()
      return
    }
    let origins = options.transitionOrigins ?? [.network, .provider, .file, .inline]
    let transition = origins.contains(response.origin) ? options.transition : nil
    showImage(response.image, transition: transition ?? .immediate, onEnd: onTransitionEnd)
  }

  func showImage(
    _ image: DecodedImage, transition: ImageTransition = .immediate, onEnd: (@MainActor () -> Void)? = nil
  ) {
    (shownImage, hasReleasedImage, showsRepeatedImage, error) = (image, false, false, nil)
    binder?.show(DisplayContent(.image(image), role: .image), transition: transition, onEnd: onEnd)
  }

  func showFailure() {
    switch options.failure ?? .keepsPlaceholder {
    case .keepsPlaceholder:
      if binder?.content.isEmpty == true, viewRequest.placeholder != nil { binder?.show(placeholder) }
    case .shows(let placeholder):
      binder?.show(DisplayContent(placeholder.picture, role: .failure), transition: options.transition ?? .immediate)
    case .clears: binder?.show(.nothing)
    }
  }
}

extension DisplayContent {
  /// Whether this is a loaded image or a preview of one.
  fileprivate var hasLoadedImage: Bool { !isEmpty && (role == .image || role == .preview) }
}
