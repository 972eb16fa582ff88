import HalcyonSupport

/// Does one thing later, on the main actor.
@MainActor
final class ViewTimer {
  private let time: any TimeSource
  private var task: Task<Void, Never>?

  init(time: any TimeSource) {
    self.time = time
  }

  /// Runs `action` after a while, at once where that is no time at all, in place of what was to run before.
  func schedule(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
    cancel()
    guard delay > .zero else { return action() }
    task = Task { [time] in
      do { try await time.sleep(for: delay) } catch { return }
      // Cancelled after it woke up, and before the main actor was free.
      guard !Task.isCancelled else { return }
      action()
    }
  }

  /// Nothing runs after this.
  func cancel() {
    task?.cancel()
    task = nil
  }
}
