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
  let sized: SizedRequest
  private let task: ImageTask
  /// The priority while the view is visible.
  private var visiblePriority: ImagePriority
  /// `nil` after the last event.
  private var receive: (@MainActor (ImageTask.ViewEvent) -> Void)?
  /// Whether it revalidates an image that the view shows.
  private var isRevalidation = false

  /// Starts the load.
  ///
  /// - Parameters:
  ///   - lookup: The outcome of the look-up in memory, which is not repeated.
  ///   - receive: Retained until the last event or ``cancel()``.
  init(
    _ sized: SizedRequest, in pipeline: ImagePipeline, after lookup: MemoryLookup, isVisible: Bool,
    receive: @escaping @MainActor (ImageTask.ViewEvent) -> Void
  ) {
    self.sized = sized
    self.receive = receive
    visiblePriority = sized.request.priority ?? .normal
    task = pipeline.viewTask(for: sized.request, after: lookup)
    task.priority = priority(isVisible)
    // Not cancelled: it ends with the task. Retains `self` until then.
    if let events = task.viewEvents {
      Task { for await event in events { didReceive(event) } }
    }
  }

  /// The result; set before its event is received.
  var result: Result<ImageResponse, ImageError>? { task.result }

  var priority: ImagePriority {
    get { task.priority }
    set { task.priority = newValue }
  }

  /// The view has become visible or hidden. A revalidation keeps its priority.
  func setPriority(isVisible: Bool) {
    if !isRevalidation { priority = priority(isVisible) }
  }

  /// The request of the view has another priority.
  func setPriority(_ priority: ImagePriority, isVisible: Bool) {
    visiblePriority = priority
    setPriority(isVisible: isVisible)
  }

  /// Goes on at a low priority, since the view shows an image that it revalidates.
  func becomeRevalidation() {
    isRevalidation = true
    priority = min(priority, .low)
  }

  private func priority(_ isVisible: Bool) -> ImagePriority {
    isVisible ? visiblePriority : .veryLow
  }

  /// Receives no more events; the load goes on.
  func ignore() { receive = nil }

  /// The load goes on for others that need the same work, without events, and starts none that it has not begun.
  func joinOnly() {
    ignore()
    task.joinOnly()
  }

  /// Ends the load without another event. ``result`` is set when this returns.
  func cancel() {
    ignore()
    task.cancel()
  }

  private func didReceive(_ event: ImageTask.ViewEvent) {
    let receive = receive
    if case .event(.finished) = event { ignore() }
    receive?(event)
  }
}
