#if GTK
import CGTK

/// Calls a closure at the first frame of a widget's frame clock that is not before a certain time.
///
/// A timer waits for most of the time, so that the frame clock does not run for a picture that stands still.
@MainActor
final class FrameTimer {
  /// Two frames of a screen with 60 of them a second.
  private static let lead = Duration.milliseconds(34)

  private let widget: UnsafeMutablePointer<GtkWidget>
  private let body: @MainActor (Duration) -> Void
  private var timer: Timer?
  private var callback: FrameClockCallback?

  /// - Parameter body: Gets the time of the frame, as an uptime.
  init(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (Duration) -> Void) {
    self.widget = widget
    self.body = body
  }

  /// Sets the time, instead of the one that was set before.
  func set(_ time: Duration) {
    cancel()
    let wait = time - .microseconds(g_get_monotonic_time()) - Self.lead
    if wait > .zero {
      timer = Timer(wait) { [weak self] in self?.waitForFrame(time) }
    } else {
      waitForFrame(time)
    }
  }

  func cancel() {
    timer?.cancel()
    callback?.cancel()
    (timer, callback) = (nil, nil)
  }

  private func waitForFrame(_ time: Duration) {
    timer = nil
    callback = FrameClockCallback(widget) { [weak self] now in
      guard now < time else {
        self?.callback = nil
        self?.body(now)
        return false
      }
      return true
    }
  }
}
#endif
