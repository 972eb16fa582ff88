/// One image on its way into one view.
@MainActor
public final class ImageViewLoad {
  /// Whether its completion has been called.
  public private(set) var isFinished = false

  let order: ViewOrder
  weak var binder: ImageViewBinder?
  /// The image that the view shows, loaded for `pixelSize`.
  var shownImage: DecodedImage?
  var pixelSize: PixelSize?
  /// Makes the image larger after the end, or makes it known early in low resolution before it.
  var sideTask: ImageTask?
  private(set) var hasFailed = false

  private let phase: PlaceholderPhase
  private var onProgress: (@MainActor (LoadProgress) -> Void)?
  private var onCompletion: ImageViewBinder.Completion?
  private var task: ImageTask?
  /// What came of the load, from when it is known to when it is shown.
  private var result: Result<ImageResponse, ImageError>?
  private var isPrepared = false

  init(
    _ order: ViewOrder, binder: ImageViewBinder, time: any TimeSource,
    onProgress: (@MainActor (LoadProgress) -> Void)?, onCompletion: ImageViewBinder.Completion?
  ) {
    self.order = order
    self.binder = binder
    self.onProgress = onProgress
    self.onCompletion = onCompletion
    phase = PlaceholderPhase(time: time)
  }

  /// Whether the view still wants this image.
  var isCurrent: Bool { binder?.current === self }

  private var options: ImageViewOptions { order.options }

  /// Ends the load with ``ImageViewError/cancelled``, unless it has ended already. What the view shows stays.
  public func cancel() {
    guard !isFinished else { return }
    stop()
    task?.cancel()
    finish(.failure(.cancelled))
  }

  // MARK: From the binder

  func start() {
    guard let binder, let display = binder.display else { return supersede() }
    guard let request = order.request else {
      binder.show(standIn)
      return finish(.failure(.emptySource))
    }
    options.revealGroup?.join(self)
    begin(request, on: display, binder)
  }

  func displayDidChange() {
    guard let binder, let display = binder.display, let request = order.request else { return }
    if isFinished {
      grow(request, on: display, binder)
    } else if task == nil, result == nil {
      begin(request, on: display, binder)
    }
  }

  func visibilityDidChange() {
    task?.priority = priority(task?.request.priority ?? .normal)
    sideTask?.priority = priority(sideTask?.request.priority ?? .normal)
    displayDidChange()
  }

  /// The view has been given something else.
  func supersede() {
    guard !isFinished else { return stop() }
    stop()
    if result == nil, let task {
      if options.whenSuperseded == .finish {
        task.priority = .veryLow
        return
      }
      // Where the end came first, and nobody knew of it yet, that stands.
      task.cancel()
      result = task.result
    }
    finish(.failure(.superseded(result ?? .failure(.cancelled))))
  }

  /// The view is gone.
  func release() {
    stop()
    task?.cancel()
    finish(.failure(.superseded(result ?? task?.result ?? .failure(.cancelled))))
  }

  // MARK: On the way

  private func begin(_ request: ImageRequest, on display: any ImageDisplay, _ binder: ImageViewBinder) {
    pixelSize = order.pixelSize(on: display)
    guard pixelSize != nil || !order.followsDisplay else { return prepare(binder) }
    var sized = order.request(request, at: pixelSize, on: display)
    // What failed a moment ago is remembered, save where the server is to be asked.
    if order.isRetry, sized.freshness.usesNetwork { sized.freshness = .reload }
    if let image = binder.pipeline.cachedImage(for: sized) {
      if options.revealGroup != nil { prepare(binder) }
      return end(.success(ImageResponse(image: image, origin: .memory, trace: LoadTrace())))
    }
    prepare(binder)
    beginLowResolution(on: display, binder)
    task = follow(sized, binder) { [self] event in receive(event) }
  }

  /// Loads something, as urgently as the view is visible; tells what happens until the end.
  func follow(
    _ request: ImageRequest, _ binder: ImageViewBinder, receive: @escaping @MainActor (ImageTask.Event) -> Void
  ) -> ImageTask {
    let task = binder.pipeline.task(for: request)
    task.priority = priority(request.priority)
    let events = task.events
    // Ends with the task, which always does.
    Task { for await event in events { receive(event) } }
    return task
  }

  private func priority(_ priority: ImagePriority) -> ImagePriority {
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
    phase.begin(delay: delay, minimum: options.minimumPlaceholderTime) { [self] in
      self.binder?.show(standIn)
    }
  }

  private var standIn: DisplayContent {
    DisplayContent(order.placeholder?.picture ?? .none, role: .placeholder)
  }

  private func beginLowResolution(on display: any ImageDisplay, _ binder: ImageViewBinder) {
    guard let request = options.lowResolution else { return }
    let sized = order.request(request, at: pixelSize, on: display)
    if let image = binder.pipeline.cachedImage(for: sized) { return preview(image) }
    sideTask = follow(sized, binder) { [self] event in
      if case .finished(.success(let response)) = event { preview(response.image) }
    }
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
    guard isCurrent, !isFinished, result == nil, options.revealGroup == nil else { return }
    phase.end { [self] in binder?.show(DisplayContent(.image(image), role: .preview)) }
  }

  private func end(_ result: Result<ImageResponse, ImageError>) {
    guard isCurrent else { return finish(.failure(.superseded(result))) }
    self.result = result
    sideTask?.cancel()
    sideTask = nil
    let reveal: @MainActor @Sendable () -> Void = { [self] in phase.end { [self] in show(result) } }
    if let group = options.revealGroup { group.hold(self, reveal: reveal) } else { reveal() }
  }

  // MARK: At the end

  private func show(_ result: Result<ImageResponse, ImageError>) {
    guard !isFinished, let binder else { return }
    stop()
    guard let display = binder.display else { return finish(.failure(.superseded(result))) }
    switch result {
    case .success(let response):
      shownImage = response.image
      binder.show(DisplayContent(.image(response.image), role: .image), transition: transition(from: response.origin))
      finish(.success(response))
      if isCurrent, let request = order.request { grow(request, on: display, binder) }
    case .failure(.cancelled):
      finish(.failure(.cancelled))
    case .failure(let error):
      showFailure(on: binder)
      finish(.failure(.loading(error)))
    }
  }

  private func transition(from origin: ImageOrigin) -> ImageTransition {
    origin == .memory && !options.transitionsFromMemory ? .none : options.transition
  }

  private func showFailure(on binder: ImageViewBinder) {
    switch options.failure {
    case .keepsPlaceholder: if binder.content.isEmpty, order.placeholder != nil { binder.show(standIn) }
    case .shows(let placeholder): binder.show(DisplayContent(placeholder.picture, role: .failure))
    case .clears: binder.show(.nothing)
    }
  }

  /// Leaves the display alone from now on.
  private func stop() {
    phase.cancel()
    sideTask?.cancel()
    sideTask = nil
    if isCurrent { binder?.stopIndicator() }
    options.revealGroup?.leave(self)
  }

  private func finish(_ result: Result<ImageResponse, ImageViewError>) {
    guard !isFinished else { return }
    isFinished = true
    task = nil
    self.result = nil
    onProgress = nil
    if case .failure(let error) = result { hasFailed = error.isWorthRetrying }
    let completion = onCompletion
    onCompletion = nil
    completion?(result)
  }
}

extension DisplayContent {
  /// Whether the content shows an image that was loaded, in whatever detail.
  fileprivate var isOfImage: Bool { !isEmpty && (role == .image || role == .preview) }
}

extension ImageViewError {
  fileprivate var isWorthRetrying: Bool {
    switch self {
    case .cancelled, .loading: true
    case .emptySource, .superseded: false
    }
  }
}
