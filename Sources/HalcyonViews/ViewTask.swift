import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport

/// One load of the pipeline for a view. Events are received on the main actor until the task is cancelled.
///
/// If the server is contacted although the store has the image, the stored image is delivered before the result, unless the
/// new image is loaded first.
@MainActor
final class ViewTask {
  enum Event {
    case progress(LoadProgress)
    case info(ImageInfo)
    case preview(DecodedImage)
    /// The stored image, which is stale and is being revalidated.
    case stale(ImageResponse)
    /// The last event.
    case finished(Result<ImageResponse, ImageError>)
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  let sized: SizedRequest
  private let pipeline: ImagePipeline
  /// `nil` after the last event.
  private var receive: (@MainActor (Event) -> Void)?
  private var task: ImageTask?
  private var storedTask: ImageTask?
  /// Whether the server is contacted although the store has the image.
  private let storedStale = Flag()
  /// Whether the stored image is being loaded, or has been found in memory.
  private var isReadingStored = false
  /// The error of ``task``, which waits for the stored image.
  private var heldError: ImageError?
  /// Whether it revalidates an image that the view shows.
  private var isRevalidation = false

  /// Starts the load.
  ///
  /// - Parameters:
  ///   - lookup: The outcome of the look-up in memory, which is not repeated.
  ///   - receive: Retained until the last event or ``cancel()``.
  init(
    _ sized: SizedRequest, in pipeline: ImagePipeline, after lookup: MemoryLookup, isVisible: Bool,
    receive: @escaping @MainActor (Event) -> Void
  ) {
    self.sized = sized
    self.pipeline = pipeline
    self.receive = receive
    task = follow(
      pipeline.followedTask(for: sized.request, after: lookup) { [weak self, storedStale] in
        storedStale.isSet.store(true)
        Task { @MainActor [weak self] in self?.loadStored() }
      }, priority(isVisible))
  }

  /// The result; set before its event is received.
  var result: Result<ImageResponse, ImageError>? { task?.result }

  var priority: ImagePriority {
    get { task?.priority ?? .normal }
    set { for task in [task, storedTask] { task?.priority = newValue } }
  }

  /// The view has become visible or hidden. A revalidation keeps its priority.
  func setPriority(isVisible: Bool) {
    if !isRevalidation { priority = priority(isVisible) }
  }

  /// Goes on at a low priority, since the view shows an image that it revalidates.
  func becomeRevalidation() {
    isRevalidation = true
    priority = min(priority, .low)
  }

  private func priority(_ isVisible: Bool) -> ImagePriority {
    isVisible ? sized.request.priority ?? .normal : .veryLow
  }

  /// Receives no more events; the load goes on.
  func ignore() {
    receive = nil
    storedTask?.cancel()
  }

  /// Ends the load without another event. ``result`` is set when this returns.
  func cancel() {
    ignore()
    task?.cancel()
  }

  /// Receives the events of the main task, or the result of the stored one. Retains `self` until the end.
  private func follow(_ task: ImageTask, _ priority: ImagePriority) -> ImageTask {
    task.priority = priority
    // Not cancelled: it ends with the task.
    if let events = task.allEvents {
      Task { for await event in events { didReceive(event, of: task) } }
    }
    return task
  }

  private func didReceive(_ event: ImageTask.Event, of task: ImageTask) {
    guard task === self.task else {
      if case .finished(let result) = event { didLoadStored(result) }
      return
    }
    switch event {
    case .progress(let progress): receive?(.progress(progress))
    case .info(let info): receive?(.info(info))
    case .preview(let image): receive?(.preview(image))
    case .finished(.failure(let error)) where storedStale.isSet.load():
      // The stored image is shown first, however quick the error is.
      loadStored()
      if storedTask == nil { finish(.failure(error)) } else { heldError = error }
    case .finished(let result): finish(result)
    }
  }

  private func didLoadStored(_ result: Result<ImageResponse, ImageError>) {
    storedTask = nil
    if case .success(let response) = result { receive?(.stale(response)) }
    if let heldError { finish(.failure(heldError)) }
  }

  private func finish(_ result: Result<ImageResponse, ImageError>) {
    let last = receive
    receive = nil
    storedTask?.cancel()
    last?(.finished(result))
  }

  /// Loads the stored image, whatever its age, beside its revalidation.
  private func loadStored() {
    guard let receive, !isReadingStored else { return }
    isReadingStored = true
    var stored = sized.request
    stored.cachePolicy = .cacheOnly
    let lookup = pipeline.lookUpMemory(for: stored)
    if case .hit(let image) = lookup { return receive(.stale(ImageResponse(memory: image, for: stored))) }
    storedTask = follow(pipeline.followedTask(for: stored, after: lookup), priority)
  }
}
