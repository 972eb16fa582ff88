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

/// Calls a closure once, after some time, from GLib's main loop, unless it is cancelled before.
@MainActor
final class Timer {
  private let body: @MainActor () -> Void
  private var id: guint?

  init(_ delay: Duration, _ body: @escaping @MainActor () -> Void) {
    self.body = body
    let milliseconds = guint(max(0, min(delay / .milliseconds(1), 3_600_000)))
    id = g_timeout_add_full(
      G_PRIORITY_DEFAULT, milliseconds,
      { data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated {
          let timer = data.map { Unmanaged<Timer>.fromOpaque($0).takeUnretainedValue() }
          timer?.id = nil
          timer?.body()
        }
        return 0
      }, Unmanaged.passRetained(self).toOpaque(),
      { data in
        data.map { Unmanaged<Timer>.fromOpaque($0).release() }
      })
  }

  func cancel() {
    if let id { g_source_remove(id) }
    id = nil
  }
}
#endif
