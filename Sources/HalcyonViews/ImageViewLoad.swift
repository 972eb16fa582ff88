import HalcyonHTTP
import HalcyonSupport
import HalcyonImaging
import HalcyonPipeline

/// The load that one `setImage` call has started for one view.
///
/// As long as the view is set to its image, it also loads that image again: at a larger size when the view grows, and
/// when a view with ``ImageViewOptions/onlyWhileVisible`` becomes visible again.
@MainActor
public final class ImageViewLoad {
  /// Whether its completion has been called.
  public private(set) var isFinished = false

  let viewRequest: ViewRequest

  private weak var binder: ImageViewBinder?
  private let placeholderPhase: PlaceholderTiming
  private var onProgress: (@MainActor (LoadProgress) -> Void)?
  private var onCompletion: ImageViewBinder.Completion?
  /// Why the view does not show the image.
  private var error: ImageViewError?

  /// The load of the requested image.
  private var task: ImageTask?
  /// Before the end the load of the low-resolution image, after it a reload of the image.
  private var secondaryTask: ImageTask?
  /// The result of ``task``, from its end until it is shown.
  private var pendingResult: Result<ImageResponse, ImageError>?

  /// The image that the view shows, loaded for ``pixelSize``.
  private var shownImage: DecodedImage?
  private var pixelSize: PixelSize?
  /// Whether the load starts only when the display has a size or is visible.
  private var awaitsDisplay = false
  /// Whether the hidden view has released its image, which is shown again when the view becomes visible.
  private var hasReleasedImage = false
  /// Whether the indicator and the placeholder have been started.
  private var hasShownLoading = false

  init(
    _ viewRequest: ViewRequest, binder: ImageViewBinder, time: any TimeSource,
    onProgress: (@MainActor (LoadProgress) -> Void)?, onCompletion: ImageViewBinder.Completion?
  ) {
    self.viewRequest = viewRequest
    self.binder = binder
    self.onProgress = onProgress
    self.onCompletion = onCompletion
    placeholderPhase = PlaceholderTiming(time: time)
    // Also a load that never starts counts as a member.
    options.transitionGroup?.join(self)
  }

  /// Cancels the load with ``ImageViewError/cancelled``, unless it has finished. The view's content stays.
  public func cancel() {
    stop()
    guard !isFinished else { return }
    task?.cancel()
    finish(.failure(.cancelled))
  }

  private var options: ImageViewOptions { viewRequest.options }
}

/// Calls of the binder.
extension ImageViewLoad {
  /// Whether the view has not been set to another image.
  var isCurrent: Bool { binder?.current === self }

  /// Whether the image is being loaded, for the first time or after the view has released it.
  var isLoading: Bool { !isFinished || hasReleasedImage && secondaryTask != nil }

  /// Whether a retry makes sense.
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

  func start() {
    guard let display = binder?.display else { return supersede() }
    guard let request = viewRequest.request else {
      binder?.show(placeholder)
      finish(.failure(.emptySource))
      options.transitionGroup?.leave(self)
      return
    }
    // A load that waits until its view is visible does not delay the group.
    if !mayHoldImage { options.transitionGroup?.leave(self) }
    begin(request, on: display)
  }

  func displayDidChange() {
    guard let display = binder?.display, let request = viewRequest.request else { return }
    if isFinished {
      reloadIfLarger(request, on: display)
    } else if awaitsDisplay {
      begin(request, on: display)
    }
  }

  func visibilityDidChange() {
    for case let task? in [task, secondaryTask] { task.priority = priority(of: task.request) }
    if isCurrent, isFinished, options.onlyWhileVisible {
      if mayHoldImage { restoreImage() } else if shownImage != nil || hasReleasedImage { releaseImage() }
    }
    displayDidChange()
  }

  /// The view has been set to another image.
  func supersede() {
    stop()
    guard !isFinished else { return }
    if pendingResult == nil, let task {
      if options.whenSuperseded == .finish {
        task.priority = .veryLow
        return
      }
      // Keeps the result of a task that has ended before, but whose last event is still to be received.
      task.cancel()
      pendingResult = task.result
    }
    finish(.failure(.superseded(pendingResult ?? .failure(.cancelled))))
  }

  /// The view has been released.
  func release() {
    stop()
    task?.cancel()
    finish(.failure(.superseded(pendingResult ?? task?.result ?? .failure(.cancelled))))
  }
}

/// Loading.
extension ImageViewLoad {
  private var isActive: Bool { isCurrent && !isFinished }

  /// Whether the view may hold its image now.
  private var mayHoldImage: Bool { !options.onlyWhileVisible || binder?.isVisible != false }

  private func begin(_ request: ImageRequest, on display: any ImageDisplay) {
    pixelSize = viewRequest.pixelSize(of: display)
    awaitsDisplay = !mayHoldImage || pixelSize == nil && viewRequest.usesDisplaySize
    if awaitsDisplay { return showLoading() }
    var sized = sized(request, for: display)
    // Revalidation bypasses the pipeline's memory of recent failures.
    if viewRequest.isRetry, sized.freshness.usesNetwork { sized.freshness = .revalidate }
    let lookup = viewRequest.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup {
      if options.transitionGroup != nil { showLoading() }
      return end(.success(ImageResponse(memory: image)))
    }
    sized.previews = sized.previews ?? options.previews
    showLoading()
    // The closure of a placeholder or an indicator may have cancelled this load or set another image.
    guard isActive else { return }
    loadLowResolution(on: display)
    // So may the display, when it has shown a low-resolution image from memory.
    guard isActive else { return }
    task = load(sized, after: lookup) { [self] event in receive(event) }
  }

  private func loadLowResolution(on display: any ImageDisplay) {
    guard let request = options.lowResolution else { return }
    let sized = sized(request, for: display)
    let lookup = viewRequest.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup { return showPreview(image) }
    secondaryTask = load(sized, after: lookup) { [self] event in
      if case .finished(.success(let response)) = event { showPreview(response.image) }
    }
  }

  /// The request at the size of the display; a size that it sets itself stays.
  private func sized(_ request: ImageRequest, for display: any ImageDisplay) -> ImageRequest {
    viewRequest.sized(request, to: pixelSize, mode: display.displayMode)
  }

  /// Starts a load whose priority depends on the view's visibility.
  ///
  /// - Parameters:
  ///   - lookup: The outcome of the look-up in memory, which the task does not repeat.
  ///   - receive: Called with the events in order, until this load drops the task; retains `self` meanwhile.
  private func load(
    _ request: ImageRequest, after lookup: MemoryLookup, receive: @escaping @MainActor (ImageTask.Event) -> Void
  ) -> ImageTask {
    let task = viewRequest.pipeline.followedTask(for: request, after: lookup)
    task.priority = priority(of: request)
    // Not cancelled: it ends with the task.
    if let events = task.allEvents {
      Task {
        // Drops the late events of a task that has been cancelled, and perhaps replaced.
        for await event in events where task === self.task || task === secondaryTask { receive(event) }
      }
    }
    return task
  }

  private func priority(of request: ImageRequest) -> ImagePriority {
    options.yieldsWhenHidden && binder?.isVisible == false ? .veryLow : request.priority
  }

  private func receive(_ event: ImageTask.Event) {
    switch event {
    case .finished(let result): end(result)
    case _ where !isActive: break
    case .progress(let progress):
      binder?.updateIndicator(progress)
      onProgress?(progress)
    case .info(let info): binder?.display?.expectImage(info)
    case .preview(let image): showPreview(image)
    }
  }

  /// Shows the result as soon as the placeholder may be replaced, or together with the group.
  private func end(_ result: Result<ImageResponse, ImageError>) {
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

  /// Stops timers, secondary loads and the indicator, and leaves the group.
  private func stop() {
    placeholderPhase.cancel()
    cancelSecondaryTask()
    if isCurrent { binder?.stopIndicator() }
    options.transitionGroup?.leave(self)
  }

  private func cancelSecondaryTask() {
    secondaryTask?.cancel()
    secondaryTask = nil
  }

  private func finish(_ result: Result<ImageResponse, ImageViewError>) {
    guard !isFinished else { return }
    isFinished = true
    task = nil
    pendingResult = nil
    onProgress = nil
    if case .failure(let error) = result { self.error = error }
    let completion = onCompletion
    onCompletion = nil
    completion?(result)
  }
}

/// Loading the image again.
extension ImageViewLoad {
  /// Loads the shown image again if the display has more pixels than it was loaded for.
  ///
  /// One reload at a time: a window that is being resized changes its size in many steps.
  private func reloadIfLarger(_ request: ImageRequest, on display: any ImageDisplay) {
    guard isCurrent, secondaryTask == nil, viewRequest.usesDisplaySize, binder?.isVisible == true,
      let shownImage, shownImage.isDownsampled, let pixelSize,
      let largerSize = viewRequest.pixelSize(of: display), largerSize.exceeds(pixelSize)
    else { return }
    // Also if the reload fails, so that it is not tried again at every step.
    self.pixelSize = largerSize
    reload(request, on: display) { [self] result in
      if case .success(let response) = result { showImage(response.image) }
      displayDidChange()
    }
  }

  /// Replaces the image of a hidden view by the placeholder.
  private func releaseImage() {
    cancelSecondaryTask()
    (shownImage, hasReleasedImage) = (nil, true)
    binder?.show(placeholder)
  }

  /// Shows a released image again, from memory or after a reload.
  ///
  /// A failed reload is tried again when the view becomes visible the next time.
  private func restoreImage() {
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

  /// Loads the image again, at ``pixelSize``; an image in memory is shown at once.
  private func reload(
    _ request: ImageRequest, on display: any ImageDisplay,
    completion: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void
  ) {
    var sized = sized(request, for: display)
    // The first load has contacted the server already.
    if sized.freshness.contactsServerFirst { sized.freshness = .standard }
    let lookup = viewRequest.pipeline.lookUpMemory(for: sized)
    if case .hit(let image) = lookup { return showImage(image) }
    secondaryTask = load(sized, after: lookup) { [self] event in
      guard case .finished(let result) = event else { return }
      secondaryTask = nil
      completion(result)
    }
  }
}

/// Content of the view.
extension ImageViewLoad {
  private var placeholder: DisplayContent {
    DisplayContent(viewRequest.placeholder?.picture ?? .none, role: .placeholder)
  }

  /// Shows the indicator at once and the placeholder after its delay. Idempotent.
  private func showLoading() {
    guard !hasShownLoading, let binder else { return }
    hasShownLoading = true
    binder.startIndicator(options.indicator)
    if options.keepsCurrentImage, binder.content.hasLoadedImage { return }
    let delay = viewRequest.isRetry ? .zero : options.placeholderDelay
    if delay > .zero, !binder.content.isEmpty { binder.show(.nothing) }
    guard viewRequest.placeholder != nil || delay <= .zero else { return }
    // The timer retains the load, which holds the binder weakly: it does not keep a released view alive.
    placeholderPhase.begin(delay: delay, minimum: options.minimumPlaceholderTime) { [self] in
      self.binder?.show(placeholder)
    }
  }

  private func showPreview(_ image: DecodedImage) {
    guard isActive, pendingResult == nil, options.transitionGroup == nil else { return }
    placeholderPhase.end { [self] in binder?.show(DisplayContent(.image(image), role: .preview)) }
  }

  private func show(_ result: Result<ImageResponse, ImageError>) {
    guard !isFinished, let binder else { return }
    stop()
    guard binder.display != nil else { return finish(.failure(.superseded(result))) }
    switch result {
    case .success(let response):
      showImage(of: response)
      finish(.success(response))
      // The display may have grown during the load.
      displayDidChange()
    case .failure(.cancelled):
      finish(.failure(.cancelled))
    case .failure(let error):
      showFailure()
      finish(.failure(.loading(error)))
    }
  }

  /// Shows a loaded image; in a hidden view that may not hold it, the placeholder.
  private func showImage(of response: ImageResponse) {
    guard mayHoldImage else { return releaseImage() }
    showImage(
      response.image, transition: options.transitionOrigins.contains(response.origin) ? options.transition : .none)
  }

  private func showImage(_ image: DecodedImage, transition: ImageTransition = .none) {
    (shownImage, hasReleasedImage, error) = (image, false, nil)
    binder?.show(DisplayContent(.image(image), role: .image), transition: transition)
  }

  private func showFailure() {
    switch options.failure {
    case .keepsPlaceholder:
      if binder?.content.isEmpty == true, viewRequest.placeholder != nil { binder?.show(placeholder) }
    case .shows(let placeholder): binder?.show(DisplayContent(placeholder.picture, role: .failure))
    case .clears: binder?.show(.nothing)
    }
  }
}

extension DisplayContent {
  /// Whether this is a loaded image or a preview of one.
  fileprivate var hasLoadedImage: Bool { !isEmpty && (role == .image || role == .preview) }
}

extension PixelSize {
  /// Whether the width or the height is larger.
  fileprivate func exceeds(_ other: PixelSize) -> Bool { width > other.width || height > other.height }
}

extension DecodedImage {
  /// Whether decoding the file at a larger size gives more detail.
  fileprivate var isDownsampled: Bool { info.format == .svg || info.pixelSize.exceeds(size) }
}
