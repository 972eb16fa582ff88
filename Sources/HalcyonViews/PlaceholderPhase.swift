import HalcyonSupport

/// When a placeholder comes, and when it may go.
@MainActor
final class PlaceholderPhase {
  private let time: any TimeSource
  private let timer: ViewTimer
  /// The uptime until which the placeholder has to stay.
  private var earliestEnd: Duration = .zero

  init(time: any TimeSource) {
    self.time = time
    timer = ViewTimer(time: time)
  }

  /// Shows a placeholder after a delay, for at least `minimum` if there was one.
  func begin(delay: Duration, minimum: Duration, show: @escaping @MainActor () -> Void) {
    timer.schedule(after: delay) { [self] in
      show()
      if delay > .zero { earliestEnd = time.uptime() + minimum }
    }
  }

  /// Runs what comes after the placeholder as soon as that may go, in place of anything that waits for the same.
  func end(_ next: @escaping @MainActor () -> Void) {
    timer.schedule(after: earliestEnd - time.uptime(), next)
  }

  /// Nothing happens after this.
  func cancel() { timer.cancel() }
}
