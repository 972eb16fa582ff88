import HalcyonImaging
import HalcyonSupport

/// One subscriber's side of a load: its priority, and where the events go.
///
/// A shared job subscribes to the work below it in the same way, with the priority of its most urgent subscriber:
/// priorities go down, events go up.
final class LoadSubscription: Sendable {
  private struct State {
    var priority: ImagePriority
    var keepsResult = false
    var wantsPartialData = false
    var onlyJoins = false
    var priorityObservers = ObserverList<@Sendable () -> Void>()
    var progress: LoadProgress?
    var info: ImageInfo?
    /// The stored image that is being revalidated; its load retains it.
    weak var stored: (any AnyObject & Sendable)?
    var storedObserver: (@Sendable (any AnyObject & Sendable) -> Void)?
    var queue: QueueState?
    var reporter: LoadReporter?
    var timeout: CountedTime?
  }

  private let state: Lock<State>
  /// Whether it belongs to a view, which shows stale images first.
  let isOfView: Bool
  private let onEvent: @Sendable (LoadEvent) -> Void

  init(
    priority: ImagePriority, isOfView: Bool = false, onEvent: @escaping @Sendable (LoadEvent) -> Void = { _ in }
  ) {
    state = Lock(State(priority: priority))
    self.isOfView = isOfView
    self.onEvent = onEvent
  }

  /// The priority of the load. Setting it notifies the observers.
  var priority: ImagePriority {
    get { state.withLock(\.priority) }
    set { if setPriority(newValue) { notifyPriorityObservers() } }
  }

  /// Sets the priority without notifying the observers; may be called with a lock held.
  ///
  /// - Returns: Whether it changed; then ``notifyPriorityObservers()`` must follow, without locks held.
  func setPriority(_ priority: ImagePriority) -> Bool {
    state.withLock { state in
      defer { state.priority = priority }
      return state.priority != priority
    }
  }

  /// Observers read the current priority, so it does not matter in which order several changes are reported.
  func notifyPriorityObservers() {
    for observer in state.withLock({ $0.priorityObservers.all }) { observer() }
  }

  /// Calls `onChange` after each change of the priority, until ``stopObserving(_:)``.
  func observePriority(_ onChange: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { $0.priorityObservers.add(onChange) }
  }

  func stopObserving(_ id: UInt64) {
    let removed = state.withLock { $0.priorityObservers.remove(id) }
    withExtendedLifetime(removed) {}
  }

  /// Observers that have not been removed.
  var priorityObserverCount: Int { state.withLock { $0.priorityObservers.all.count } }

  /// Whether a subscriber of a shared job requested its result itself, not only as a step towards another one.
  var keepsResult: Bool { state.withLock(\.keepsResult) }

  func keepResult() { state.withLock { $0.keepsResult = true } }

  /// Whether some subscriber shows previews.
  var wantsPartialData: Bool { state.withLock(\.wantsPartialData) }

  func requestPartialData() { state.withLock { $0.wantsPartialData = true } }

  /// Whether it joins jobs of other subscribers and starts none.
  var onlyJoins: Bool { state.withLock(\.onlyJoins) }

  func joinOnly() { state.withLock { $0.onlyJoins = true } }

  /// The last progress, if there was any.
  var latestProgress: LoadProgress? { state.withLock(\.progress) }

  /// The last progress and the known properties of the image, for subscribers that join later.
  var latestEvents: [LoadEvent] {
    let (info, progress, stored, queue) = state.withLock { ($0.info, $0.progress, $0.stored, $0.queue) }
    return [
      stored.map { .storedStale(bytes: $0) }, info.map { .info($0) }, progress.map { .progress($0) },
      queue.map { .queue($0) },
    ].compactMap { $0 }
  }

  /// Sends the events of this subscription to `reporter` from now on.
  func report(to reporter: LoadReporter) { state.withLock { $0.reporter = reporter } }

  /// Whether there is a reporter.
  var isReported: Bool { state.withLock { $0.reporter != nil } }

  /// Counts the time of this subscription from now on.
  func count(in timeout: CountedTime) { state.withLock { $0.timeout = timeout } }

  /// Calls `onStored` with each stored image that is being revalidated; `nil` ends this.
  func observeStored(_ onStored: (@Sendable (any AnyObject & Sendable) -> Void)?) {
    let old = state.withLock { state in
      defer { state.storedObserver = onStored }
      return state.storedObserver
    }
    withExtendedLifetime(old) {}
  }

  func report(_ event: LoadEvent) {
    let (reporter, timeout, onStored) = state.withLock { state in
      switch event {
      case .progress(let progress): state.progress = progress
      case .info(let info): state.info = info
      case .storedStale(let bytes): state.stored = bytes
      case .queue(let queue): if queue.isLater(than: state.queue) { state.queue = queue }
      case .partial, .preview, .stale, .step: break
      }
      return (state.reporter, state.timeout, state.storedObserver)
    }
    if case .queue(let queue) = event { timeout?.receive(queue) }
    if case .storedStale(let bytes) = event { onStored?(bytes) }
    reporter?.receive(event)
    onEvent(event)
  }
}
