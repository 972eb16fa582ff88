import HalcyonSupport

/// Runs one action after a delay, on the main actor.
@MainActor
final class ViewTimer {
  private let time: any TimeSource
  private var task: Task<Void, Never>?

  init(time: any TimeSource) {
    self.time = time
  }

  /// Runs `action` after `delay`, before this returns if that is zero or less; replaces an action that is waiting.
  func schedule(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
    cancel()
    guard delay > .zero else { return action() }
    task = Task { [time] in
      do { try await time.sleep(for: delay) } catch { return }
      // The timer may have been cancelled between the end of the sleep and this turn of the main actor.
      guard !Task.isCancelled else { return }
      action()
    }
  }

  func cancel() {
    task?.cancel()
    task = nil
  }
}
