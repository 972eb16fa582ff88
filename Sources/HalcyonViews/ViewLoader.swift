import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport

/// The loads of the pipeline for one `setImage` call: of its image, and beside it of a low-resolution image.
@MainActor
final class ViewLoader {
  /// How long a display must have kept its size before a larger image is loaded, since a frame may be animated.
  private static let growDelay = Duration.milliseconds(150)
  /// How long a display must have had fewer than half of the pixels of its image before a smaller one is loaded.
  private static let shrinkDelay = Duration.seconds(3)

  private(set) var viewRequest: ViewRequest
  /// The request of the image that is shown, or being loaded, at its size.
  private(set) var sized: SizedRequest?
  /// The load of the image; after its first result a revalidation in the background.
  private(set) var task: ViewTask?
  /// Until the end of ``task`` the load of the low-resolution image, afterwards a reload of the image.
  private var secondaryTask: ViewTask?
  /// Superseded loads of the same bytes, which go on until ``task`` has joined their transfer.
  private var keptTransfers: [ViewTask] = []
  private let resizeTimer: ViewTimer
  /// The version of the local file whose image was found in memory, until it has been compared with the file on disk.
  private var uncheckedVersion: String?
  private var fileCheck: Task<Void, Never>?

  /// Whether the view is visible: loads of a hidden one have the lowest priority.
  var isVisible: Bool {
    didSet { for task in [task, secondaryTask] { task?.setPriority(isVisible: isVisible) } }
  }

  init(_ viewRequest: ViewRequest, isVisible: Bool, time: any TimeSource) {
    (self.viewRequest, self.isVisible) = (viewRequest, isVisible)
    resizeTimer = ViewTimer(time: time)
  }

  /// Replaces the request by one for the same image; the loads in flight get its priority.
  func adopt(_ viewRequest: ViewRequest) {
    let priority = viewRequest.request?.priority
    defer { self.viewRequest = viewRequest }
    guard priority != self.viewRequest.request?.priority else { return }
    for task in [task, secondaryTask] { task?.setPriority(priority ?? .normal, isVisible: isVisible) }
  }

  /// Looks for the image in memory, at the size of the display; `nil` if the display has no size yet.
  func lookUp(on display: any ImageDisplay) -> (request: SizedRequest, outcome: MemoryLookup)? {
    guard let sized = viewRequest.sized(for: display) else { return nil }
    self.sized = sized
    let first = viewRequest.forFirstLoad(sized)
    return (first, lookUpMemory(for: first.request))
  }

  private func lookUpMemory(for request: ImageRequest) -> MemoryLookup {
    // Read before the look-up, so that a version looked up in between counts as changed.
    let version = viewRequest.pipeline.lastFileVersion(for: request)
    let lookup = viewRequest.pipeline.lookUpMemory(for: request)
    uncheckedVersion = if case .miss = lookup { nil } else { version }
    return lookup
  }

  /// Loads the shown image again if it came from memory and its file has been written again.
  ///
  /// Looking at the disk may take long, and happens on another thread.
  func checkFile(_ completion: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void) {
    guard let version = uncheckedVersion, let sized else { return }
    uncheckedVersion = nil
    fileCheck = Task { [weak self, pipeline = viewRequest.pipeline] in
      let current = await pipeline.fileVersion(for: sized.request)
      // A reload in flight reads the current file anyway.
      guard current != version, !Task.isCancelled, let self, secondaryTask == nil else { return }
      reload(at: nil, completion: completion)
    }
  }

  /// An image of ``viewRequest`` as content, with the size that it has if the view does not limit it.
  func content(_ image: DecodedImage, _ role: DisplayContent.Role) -> DisplayContent {
    var content = DisplayContent(.image(image), role: role)
    content.naturalSize = sized?.naturalSize(of: image)
    content.renderingMode = viewRequest.options.renderingMode
    return content
  }

  /// The view stops showing its image, which the pipeline may keep for a moment.
  func willReleaseImage() {
    if let sized { viewRequest.pipeline.viewWillRelease(sized.request) }
  }

  /// Whether a reload or the load of the low-resolution image is in flight.
  var isLoadingSecondary: Bool { secondaryTask != nil }

  /// Loads the image.
  ///
  /// - Parameters:
  ///   - lookup: The outcome of the look-up in memory, which is not repeated.
  ///   - receive: Retained until the last event.
  func load(
    _ sized: SizedRequest, after lookup: MemoryLookup, receive: @escaping @MainActor (ImageTask.ViewEvent) -> Void
  ) {
    task = start(sized, lookup) { [self] event in
      releaseTransfers()
      receive(event)
    }
  }

  /// The load of the image has ended.
  ///
  /// - Returns: The request of the task. The shown image may have another one, if the display has been resized
  ///   meanwhile.
  func taskDidEnd() -> SizedRequest? {
    defer { task = nil }
    return task?.sized
  }

  /// The result of a task is shown.
  func willShow(_ sized: SizedRequest) {
    cancelSecondary()
    self.sized = sized
  }

  /// Loads the low-resolution image until the image has been loaded, unless memory has it, fresh or stale.
  func loadLowResolution(on display: any ImageDisplay, show: @escaping @MainActor (DecodedImage) -> Void) {
    guard let request = viewRequest.options.lowResolution, let full = sized else { return }
    let sized = viewRequest.sized(request, for: display)
    func showPlaced(_ image: DecodedImage) {
      if let placed = full.placing(image, of: sized) { show(placed) }
    }
    let lookup = viewRequest.pipeline.lookUpMemory(for: sized.request)
    if let image = viewRequest.cachedImage(lookup, for: sized.request) { return showPlaced(image) }
    secondaryTask = start(sized, lookup) { event in
      if case .event(.finished(.success(let response))) = event { showPlaced(response.image) }
    }
  }

  /// Loads the shown image again for the display: at once if its mode has changed, at its size if that has had more pixels
  /// for a moment, or fewer than half for some seconds. Only a larger image is downloaded, and a smaller one replaces the
  /// larger one in memory.
  ///
  /// One reload at a time: a window that is being resized changes its size in many steps.
  func reloadIfResized(
    _ image: DecodedImage, on display: any ImageDisplay,
    show: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void
  ) {
    let next = viewRequest.sized(for: display)
    // A layout that changes nothing.
    if isVisible, let size = resizeTimer.size, size == next?.request.size { return }
    resizeTimer.cancel()
    guard secondaryTask == nil, isVisible, let sized, let next else { return }
    if next.differsInMode(from: sized) {
      self.sized = next
      reload(next, usesNetwork: false, completion: show)
    } else if next.isLarger(than: sized, showing: image), next.isDownsampled(image) {
      resizeTimer.schedule(after: Self.growDelay, for: next.request.size) { [self] in
        reload(at: next, completion: show)
      }
    } else if next.needsLess(than: image) {
      resizeTimer.schedule(after: Self.shrinkDelay, for: next.request.size) { [self] in
        reload(next, usesNetwork: false) { [self] result in
          if case .success = result {
            viewRequest.pipeline[cached: sized.request] = nil
            self.sized = next
          }
          show(result)
        }
      }
    }
  }

  /// Loads the image again at the size of the display, also if that has not changed.
  ///
  /// The size is not tried again if it fails.
  func reload(
    at size: SizedRequest?, completion: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void
  ) {
    sized = size ?? sized
    if let sized { reload(sized, usesNetwork: true, completion: completion) }
  }

  /// Loads the image again, from a cache if possible: the server has been contacted for it already, or is being contacted.
  /// An image in memory is passed before this returns.
  ///
  /// - Parameter usesNetwork: Whether the image is downloaded if no cache has it.
  private func reload(
    _ sized: SizedRequest, usesNetwork: Bool,
    completion: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void
  ) {
    var sized = sized
    if sized.request.resolved.cachePolicy.contactsServerFirst { sized.request.cachePolicy = .standard }
    let lookup = lookUpMemory(for: sized.request)
    if let image = viewRequest.cachedImage(lookup, for: sized.request) {
      return completion(.success(ImageResponse(memory: image, for: sized.request)))
    }
    guard sized.request.resolved.cachePolicy.followsHTTP else { return reload(sized, lookup, completion) }
    var stored = sized
    stored.request.cachePolicy = .cacheOnly
    reload(stored, lookup) { [self] result in
      switch result {
      case .failure(let error) where usesNetwork && !error.isCancellation: reload(sized, lookup, completion)
      default: completion(result)
      }
    }
  }

  private func reload(
    _ sized: SizedRequest, _ lookup: MemoryLookup,
    _ completion: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void
  ) {
    secondaryTask = start(sized, lookup) { [self] event in
      guard case .event(.finished(let result)) = event else { return }
      secondaryTask = nil
      completion(result)
    }
  }

  private func start(
    _ sized: SizedRequest, _ lookup: MemoryLookup, receive: @escaping @MainActor (ImageTask.ViewEvent) -> Void
  ) -> ViewTask {
    ViewTask(sized, in: viewRequest.pipeline, after: lookup, isVisible: isVisible, receive: receive)
  }

  /// Ends all loads.
  func cancel() {
    cancelSecondary()
    task?.cancel()
    task = nil
    releaseTransfers()
  }

  func cancelSecondary() {
    resizeTimer.cancel()
    fileCheck?.cancel()
    secondaryTask?.cancel()
    secondaryTask = nil
  }

  /// The loads end, since the view has been set to another image.
  ///
  /// - Parameter next: The loader of that image. If it loads the same bytes, for example at another size, the transfer goes
  ///   on until it has joined.
  func supersede(by next: ViewLoader?) {
    if let next, next.viewRequest.loadsSameBytes(as: viewRequest) {
      let transfer = task ?? secondaryTask
      transfer?.joinOnly()
      next.keptTransfers = keptTransfers + [transfer].compactMap(\.self)
      keptTransfers = []
      if task == nil { secondaryTask = nil } else { task = nil }
    }
    cancel()
  }

  /// Only the load of the image goes on, at the lowest priority.
  func finishInBackground() {
    cancelSecondary()
    releaseTransfers()
    task?.priority = .veryLow
  }

  /// Ends the kept transfers: the load has joined one, or waits for its display and will not join now.
  ///
  /// The latest first, so that none starts a transfer of its own when an earlier one ends.
  func releaseTransfers() {
    for transfer in keptTransfers.reversed() { transfer.cancel() }
    keptTransfers = []
  }
}

extension ImageError {
  fileprivate var isCancellation: Bool {
    if case .cancelled = self { return true }
    return false
  }
}
