import HalcyonSupport
import HalcyonImaging
import Synchronization

/// What one party wants of a load that it may share with others: how soon, and to hear of its progress.
///
/// A shared job has an interest of its own in the work below it, as urgent as the most urgent of its waiters.
final class LoadSubscription: Sendable {
  private struct State {
    var observers: [(id: UInt64, change: @Sendable () -> Void)] = []
    var progress: LoadProgress?
    var info: ImageInfo?
    var reporter: LoadReporter?
  }

  private let level: Atomic<Int>
  private let keeps = Atomic(false)
  private let wantsParts = Atomic(false)
  private let state = Lock(State())
  private let onEvent: @Sendable (LoadEvent) -> Void

  init(priority: ImagePriority, onEvent: @escaping @Sendable (LoadEvent) -> Void = { _ in }) {
    level = Atomic(priority.rawValue)
    self.onEvent = onEvent
  }

  /// How soon the result is wanted. Setting tells those that observe.
  var priority: ImagePriority {
    get { ImagePriority(rawValue: level.load(ordering: .relaxed)) ?? .normal }
    set {
      guard level.exchange(newValue.rawValue, ordering: .relaxed) != newValue.rawValue else { return }
      for observer in state.withLock({ $0.observers }) { observer.change() }
    }
  }

  /// Of a shared job: whether its result is what some waiter asked for, and not only a step on the way to it.
  var keepsResult: Bool { keeps.load(ordering: .relaxed) }

  func keepResult() { keeps.store(true, ordering: .relaxed) }

  /// Whether somebody wants to see what has arrived.
  var wantsPartialData: Bool { wantsParts.load(ordering: .relaxed) }

  func wantPartialData() { wantsParts.store(true, ordering: .relaxed) }

  /// The last progress, and what is known of the image, for those who come later.
  var news: [LoadEvent] {
    let (info, progress) = state.withLock { ($0.info, $0.progress) }
    return [info.map { .info($0) }, progress.map { .progress($0) }].compactMap { $0 }
  }

  /// Tells the events of this party from now on.
  func report(to reporter: LoadReporter) { state.withLock { $0.reporter = reporter } }

  func report(_ event: LoadEvent) {
    let reporter = state.withLock { state in
      switch event {
      case .progress(let progress): state.progress = progress
      case .info(let info): state.info = info
      case .partial, .preview, .step: break
      }
      return state.reporter
    }
    reporter?.note(event)
    onEvent(event)
  }

  func observe(id: UInt64, _ change: @escaping @Sendable () -> Void) {
    state.withLock { $0.observers.append((id, change)) }
  }

  func stopObserving(id: UInt64) {
    let removed = state.withLock { state in
      state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }
}
