#if canImport(CHalcyonGTK)
import CHalcyonGTK
import HalcyonViews

/// The frame clock of a widget.
///
/// A GLib timeout covers most of the wait, so the frame clock does not run while nothing changes.
@MainActor
final class FrameTimer: FrameClock {
  /// How long before the set time the frame clock is started: two frames at 60 Hz.
  private static let lead = Duration.milliseconds(34)

  var now: @MainActor () -> Duration { { .microseconds(g_get_monotonic_time()) } }
  /// Receives the frame time as an uptime.
  var onFrame: (@MainActor (Duration) -> Void)?

  private let widget: UnsafeMutablePointer<GtkWidget>
  private var timeout: Timeout?
  private var callback: TickCallback?

  init(_ widget: UnsafeMutablePointer<GtkWidget>, onFrame: (@MainActor (Duration) -> Void)? = nil) {
    self.widget = widget
    self.onFrame = onFrame
  }

  /// Sets the time, an uptime, in place of an earlier one.
  func set(_ time: Duration) {
    cancel()
    let wait = time - now() - Self.lead
    if wait > .zero {
      timeout = Timeout(wait) { [weak self] in self?.waitForFrame(time) }
    } else {
      waitForFrame(time)
    }
  }

  func cancel() {
    timeout?.cancel()
    callback?.cancel()
    (timeout, callback) = (nil, nil)
  }

  private func waitForFrame(_ time: Duration) {
    timeout = nil
    callback = TickCallback(widget) { [weak self] now in
      guard now < time else {
        self?.callback = nil
        self?.onFrame?(now)
        return false
      }
      return true
    }
  }
}

/// A GLib timeout source: calls a closure once after a delay of up to an hour, unless it is cancelled.
@MainActor
private final class Timeout {
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
          let timeout = data.map { Unmanaged<Timeout>.fromOpaque($0).takeUnretainedValue() }
          timeout?.id = nil
          timeout?.body()
        }
        return 0
      }, Unmanaged.passRetained(self).toOpaque(),
      { data in
        data.map { Unmanaged<Timeout>.fromOpaque($0).release() }
      })
  }

  func cancel() {
    if let id { g_source_remove(id) }
    id = nil
  }
}
#endif
