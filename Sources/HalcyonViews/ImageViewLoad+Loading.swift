import HalcyonHTTP
import HalcyonSupport
import HalcyonImaging
import HalcyonPipeline

/// From the beginning to when the image is there.
extension ImageViewLoad {
  func start() {
    guard let binder, let display = binder.display else { return supersede() }
    guard let request = order.request else {
      binder.show(standIn)
      return finish(.failure(.emptySource))
    }
    options.transitionGroup?.join(self)
    // Nobody waits for what nobody sees.
    if !isWanted { options.transitionGroup?.leave(self) }
    begin(request, on: display, binder)
  }

  func displayDidChange() {
    guard let binder, let display = binder.display, let request = order.request else { return }
    if isFinished {
      grow(request, on: display, binder)
    } else if awaitsDisplay {
      begin(request, on: display, binder)
    }
  }

  private func begin(_ request: ImageRequest, on display: any ImageDisplay, _ binder: ImageViewBinder) {
    pixelSize = order.pixelSize(on: display)
    awaitsDisplay = !isWanted || pixelSize == nil && order.followsDisplay
    if awaitsDisplay { return prepare(binder) }
    var sized = order.request(request, at: pixelSize, on: display)
    // What failed a moment ago is remembered, save where the server is to be asked.
    if order.isRetry, sized.freshness.usesNetwork { sized.freshness = .revalidate }
    let lookup = binder.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup {
      if options.transitionGroup != nil { prepare(binder) }
      return end(.success(ImageResponse(memory: image)))
    }
    sized.previews = sized.previews ?? options.previews
    prepare(binder)
    beginLowResolution(on: display, binder)
    // What the caller makes to be shown meanwhile may have given the view something else.
    guard isCurrent, !isFinished else { return }
    task = follow(sized, after: lookup, binder) { [self] event in receive(event) }
  }

  private func beginLowResolution(on display: any ImageDisplay, _ binder: ImageViewBinder) {
    guard let request = options.lowResolution else { return }
    let sized = order.request(request, at: pixelSize, on: display)
    let lookup = binder.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup { return preview(image) }
    sideTask = follow(sized, after: lookup, binder) { [self] event in
      if case .finished(.success(let response)) = event { preview(response.image) }
    }
  }

  /// Loads something, as urgently as the view is visible; tells what happens until the end.
  func follow(
    _ request: ImageRequest, after lookup: MemoryLookup, _ binder: ImageViewBinder,
    receive: @escaping @MainActor (ImageTask.Event) -> Void
  ) -> ImageTask {
    let task = binder.pipeline.followedTask(for: request, after: lookup)
    task.priority = priority(request.priority)
    // Ends with the task, which always does.
    if let events = task.allEvents { Task { for await event in events { receive(event) } } }
    return task
  }

  func priority(_ priority: ImagePriority) -> ImagePriority {
    options.yieldsWhenHidden && binder?.isVisible == false ? .veryLow : priority
  }

  /// Shows that there is something to wait for.
  private func prepare(_ binder: ImageViewBinder) {
    guard !isPrepared else { return }
    isPrepared = true
    binder.startIndicator(options.indicator)
    if options.keepsCurrentImage, binder.content.isOfImage { return }
    let delay = order.isRetry ? .zero : options.placeholderDelay
    if delay > .zero, !binder.content.isEmpty { binder.show(.nothing) }
    guard order.placeholder != nil || delay <= .zero else { return }
    // The timer must not keep the binder: a view that goes away in the meantime takes it along.
    phase.begin(delay: delay, minimum: options.minimumPlaceholderTime) { [self] in self.binder?.show(standIn) }
  }

  private func receive(_ event: ImageTask.Event) {
    switch event {
    case .progress(let progress):
      guard isCurrent, !isFinished else { return }
      binder?.updateIndicator(progress)
      onProgress?(progress)
    case .info(let info):
      if isCurrent, !isFinished { binder?.display?.expectImage(info) }
    case .preview(let image):
      preview(image)
    case .finished(let result):
      if !isFinished { end(result) }
    }
  }

  private func preview(_ image: DecodedImage) {
    guard isCurrent, !isFinished, result == nil, options.transitionGroup == nil else { return }
    phase.end { [self] in binder?.show(DisplayContent(.image(image), role: .preview)) }
  }
}

extension DisplayContent {
  /// Whether the content shows an image that was loaded, in whatever detail.
  fileprivate var isOfImage: Bool { !isEmpty && (role == .image || role == .preview) }
}
