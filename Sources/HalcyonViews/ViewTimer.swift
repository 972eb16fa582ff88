import HalcyonImaging
import HalcyonSupport

/// Runs one action after a delay, on the main actor.
@MainActor
final class ViewTimer {
  private let time: any TimeSource
  private var task: Task<Void, Never>?
  /// The size that the action waits to load.
  private(set) var size: TargetSize?

  init(time: any TimeSource) {
    self.time = time
  }

  /// Runs `action` after `delay`, before this returns if that is zero or less; replaces an action that is waiting.
  func schedule(after delay: Duration, for size: TargetSize? = nil, _ action: @escaping @MainActor () -> Void) {
    cancel()
    guard delay > .zero else { return action() }
    self.size = size
    task = Task { [time, weak self] in
      do { try await time.sleep(for: delay) } catch { return }
      // The timer may have been cancelled between the end of the sleep and this turn of the main actor.
      guard !Task.isCancelled else { return }
      self?.size = nil
      action()
    }
  }

  func cancel() {
    task?.cancel()
    (task, size) = (nil, nil)
  }
}
