#if GTK
import CHalcyonGTK

/// A painted frame.
struct Frame {
  /// The frame time as an uptime.
  let time: Duration
  /// The frame counter of the window's frame clock.
  let number: gint64
}

/// Resumes a task after a window's next frame has been painted.
@MainActor
final class FrameWaiter {
  private var continuation: CheckedContinuation<Frame, Never>?
  private let clock: OpaquePointer?
  private var handler: gulong = 0

  init(_ window: UnsafeMutablePointer<GtkWidget>, _ continuation: CheckedContinuation<Frame, Never>) {
    self.continuation = continuation
    gtk_widget_realize(window)
    clock = gtk_widget_get_frame_clock(window)
    typealias Handler = @convention(c) (gpointer?, gpointer?) -> Void
    let paint: Handler = { _, data in
      nonisolated(unsafe) let data = data
      MainActor.assumeIsolated {
        data.map { Unmanaged<FrameWaiter>.fromOpaque($0).takeUnretainedValue().finish() }
      }
    }
    handler = g_signal_connect_data(
      gpointer(clock), "after-paint", unsafeBitCast(paint, to: GCallback.self), Unmanaged.passRetained(self).toOpaque(),
      { data, _ in data.map { Unmanaged<FrameWaiter>.fromOpaque($0).release() } }, GConnectFlags(0))
    gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_PAINT)
  }

  private func finish() {
    let time = Duration.microseconds(gdk_frame_clock_get_frame_time(clock))
    continuation?.resume(returning: Frame(time: time, number: gdk_frame_clock_get_frame_counter(clock)))
    continuation = nil
    g_signal_handler_disconnect(gpointer(clock), handler)
  }
}
#endif
