import HalcyonSupport

/// Delays a placeholder, and keeps it for its minimum time.
@MainActor
final class PlaceholderTiming {
  /// The default of ``ImageViewOptions/placeholderDelay``.
  nonisolated static let defaultDelay = Duration.milliseconds(100)
  /// How long a placeholder that was shown after its delay stays at least, so that it does not flash.
  private static let minimum = Duration.milliseconds(300)

  private let time: any TimeSource
  private let timer: ViewTimer
  /// The uptime before which the placeholder must not be replaced.
  private var earliestEnd: Duration = .zero

  init(time: any TimeSource) {
    self.time = time
    timer = ViewTimer(time: time)
  }

  /// Shows the placeholder after `delay`; at once if that is zero, and then without a minimum time.
  func begin(delay: Duration, show: @escaping @MainActor () -> Void) {
    timer.schedule(after: delay) { [self] in
      show()
      if delay > .zero { earliestEnd = time.uptime() + Self.minimum }
    }
  }

  /// Calls `next` as soon as the placeholder may be replaced, in place of an earlier `next` that is still waiting.
  func end(_ next: @escaping @MainActor () -> Void) {
    timer.schedule(after: earliestEnd - time.uptime(), next)
  }

  /// Drops everything scheduled.
  func cancel() { timer.cancel() }
}
