import Synchronization

/// What one party wants of a load that it may share with others: how soon, and to hear of its progress.
///
/// A shared job has an interest of its own in the work below it, as urgent as the most urgent of its waiters.
final class LoadInterest: Sendable {
  private struct State {
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var progress: LoadProgress?
  }

  private let level: Atomic<Int>
  private let keeps = Atomic(false)
  private let state = Lock(State())
  private let onProgress: @Sendable (LoadProgress) -> Void
  private let onPreview: @Sendable (DecodedImage) -> Void

  init(
    priority: ImagePriority, onProgress: @escaping @Sendable (LoadProgress) -> Void = { _ in },
    onPreview: @escaping @Sendable (DecodedImage) -> Void = { _ in }
  ) {
    level = Atomic(priority.rawValue)
    self.onProgress = onProgress
    self.onPreview = onPreview
  }

  /// How soon the result is wanted. Setting tells those that observe.
  var priority: ImagePriority {
    get { ImagePriority(rawValue: level.load(ordering: .relaxed)) ?? .normal }
    set {
      guard level.exchange(newValue.rawValue, ordering: .relaxed) != newValue.rawValue else { return }
      for observer in state.withLock({ Array($0.observers.values) }) { observer() }
    }
  }

  /// Of a shared job: whether its result is what some waiter asked for, and not only a step on the way to it.
  var keepsResult: Bool { keeps.load(ordering: .relaxed) }

  func keepResult() { keeps.store(true, ordering: .relaxed) }

  /// The last progress reported.
  var progress: LoadProgress? { state.withLock(\.progress) }

  func report(_ progress: LoadProgress) {
    state.withLock { $0.progress = progress }
    onProgress(progress)
  }

  /// Shows an image that will be followed by a better one.
  func preview(_ image: DecodedImage) { onPreview(image) }

  func observe(id: UInt64, _ change: @escaping @Sendable () -> Void) {
    state.withLock { $0.observers[id] = change }
  }

  func stopObserving(id: UInt64) {
    let removed = state.withLock { $0.observers.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }
}
