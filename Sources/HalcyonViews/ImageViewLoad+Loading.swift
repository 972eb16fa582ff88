import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport

/// Loading.
extension ImageViewLoad {
  func begin(_ request: ImageRequest, on display: any ImageDisplay) {
    pixelSize = viewRequest.pixelSize(of: display)
    awaitsDisplay = !mayHoldImage || pixelSize == nil && viewRequest.usesDisplaySize
    if awaitsDisplay {
      releaseTransfers()
      return showLoading()
    }
    var sized = sized(request, for: display)
    sizedRequest = sized
    // Revalidation bypasses the pipeline's memory of recent failures.
    if viewRequest.isRetry, sized.freshness.usesNetwork { sized.cachePolicy = .revalidate }
    // The view itself shows stale images first.
    if sized.cachePolicy == .staleFirst { sized.cachePolicy = .standard }
    let lookup = viewRequest.pipeline.lookUpMemory(for: sized)
    if let image = cachedImage(lookup, for: sized) { return showCached(image, sized, lookup) }
    showLoading()
    // The closure of a placeholder or an indicator may have cancelled this load or set another image.
    guard isActive else { return }
    if let image = lookup.staleImage, sized.freshness == .revalidate {
      showPreview(viewRequest.pipeline.delivered(image, for: sized))
    } else {
      loadLowResolution(on: display)
    }
    // So may the display, when it has shown an image from memory.
    guard isActive else { return }
    taskPixelSize = pixelSize
    task = load(sized, after: lookup) { [self] event in receive(event) }
  }

  /// The image in memory that is shown at once: a fresh one, or one that is revalidated while it is shown.
  func cachedImage(_ lookup: MemoryLookup, for request: ImageRequest) -> DecodedImage? {
    switch lookup {
    case .hit(let image): image
    case .stale(let image):
      request.freshness.followsHTTP ? viewRequest.pipeline.delivered(image, for: request) : nil
    case .miss: nil
    }
  }

  /// Shows an image from memory, and revalidates it in the background if it is stale.
  private func showCached(_ image: DecodedImage, _ request: ImageRequest, _ lookup: MemoryLookup) {
    if options.transitionGroup != nil { showLoading() }
    if case .hit = lookup { return end(.success(ImageResponse(memory: image, for: request))) }
    isRevalidating = true
    end(.success(ImageResponse(memory: image, for: request)))
    // The completion may have set another image.
    guard isCurrent, isRevalidating else { return }
    taskPixelSize = pixelSize
    task = load(request, after: lookup) { [self] event in receive(event) }
    task?.priority = min(priority(of: request), .low)
  }

  private func loadLowResolution(on display: any ImageDisplay) {
    guard let request = options.lowResolution else { return }
    let sized = sized(viewRequest.pipeline.completed(request), for: display)
    let lookup = viewRequest.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup { return showPreview(image) }
    secondaryTask = load(sized, after: lookup) { [self] event in
      if case .finished(.success(let response)) = event { showPreview(response.image) }
    }
  }

  /// The request at the size of the display; a size that it sets itself stays.
  func sized(_ request: ImageRequest, for display: any ImageDisplay) -> ImageRequest {
    viewRequest.sized(request, to: pixelSize, mode: display.displayMode)
  }

  /// Starts a load whose priority depends on the view's visibility; retains `self` until it has ended.
  ///
  /// - Parameter lookup: The outcome of the look-up in memory, which is not repeated.
  func load(
    _ request: ImageRequest, after lookup: MemoryLookup, receive: @escaping @MainActor (ViewTask.Event) -> Void
  ) -> ViewTask {
    ViewTask(request, in: viewRequest.pipeline, after: lookup, priority: priority(of: request), receive: receive)
  }

  private func receive(_ event: ViewTask.Event) {
    // A kept preview comes before the load has joined a transfer.
    if case .preview = event {} else { releaseTransfers() }
    switch event {
    case .finished(let result): if isRevalidating { didRevalidate(result) } else { end(result) }
    case _ where !isActive: break
    case .progress(let progress): reportProgress(progress)
    case .info(let info): binder?.display?.expectImage(info)
    case .preview(let image): showPreview(image)
    case .stale(let response): showStale(response)
    }
  }

  /// Shows a stored image that is being revalidated. An explicit revalidation completes with its own result.
  private func showStale(_ response: ImageResponse) {
    guard pendingResult == nil, let task else { return }
    guard task.request.freshness.followsHTTP else { return showPreview(response.image) }
    isRevalidating = true
    task.priority = min(task.priority, .low)
    end(.success(response))
  }

  /// Replaces the shown image in place if it has changed. Otherwise, and if the revalidation has failed, it stays.
  private func didRevalidate(_ result: Result<ImageResponse, ImageError>) {
    (task, isRevalidating) = (nil, false)
    guard isCurrent, case .success(let response) = result else { return }
    // The stale image has not been shown yet.
    guard isFinished else { return end(result) }
    guard mayHoldImage, let shownImage,
      response.image.facts.freshness?.version != shownImage.facts.freshness?.version
    else { return }
    // The view may have grown since; then it loads the new image again.
    cancelSecondaryTask()
    pixelSize = taskPixelSize
    showImage(of: response)
    displayDidChange()
  }

  /// Shows the result as soon as the placeholder may be replaced, or together with the group.
  func end(_ result: Result<ImageResponse, ImageError>) {
    guard isCurrent else { return finish(.failure(.superseded(result))) }
    pendingResult = result
    cancelSecondaryTask()
    let showResult: @MainActor @Sendable () -> Void = { [self] in show(result) }
    if let group = options.transitionGroup {
      group.didLoad(self, show: showResult)
    } else {
      placeholderPhase.end(showResult)
    }
  }
}
