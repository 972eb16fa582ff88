#if GTK
import CGTK

/// Calls a closure at each frame of a widget's frame clock until it says that it is done, or is cancelled.
///
/// Nothing is called while the widget is not on a screen.
@MainActor
final class FrameClockCallback {
  private let widget: UnsafeMutablePointer<GtkWidget>
  private let body: @MainActor (Duration) -> Bool
  /// `nil` when it is over, also because the widget is gone.
  private var id: guint?

  /// - Parameter body: Gets the time of the frame, as an uptime, and says whether it wants another one.
  init(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (Duration) -> Bool) {
    self.widget = widget
    self.body = body
    let data = Unmanaged.passRetained(self).toOpaque()
    id = gtk_widget_add_tick_callback(
      widget,
      { _, clock, data in
        nonisolated(unsafe) let (clock, data) = (clock, data)
        return MainActor.assumeIsolated { FrameClockCallback.from(data)?.frame(clock) ?? false } ? 1 : 0
      }, data,
      { data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated { FrameClockCallback.from(data)?.id = nil }
        data.map { Unmanaged<FrameClockCallback>.fromOpaque($0).release() }
      })
  }

  func cancel() {
    if let id { gtk_widget_remove_tick_callback(widget, id) }
  }

  private func frame(_ clock: OpaquePointer?) -> Bool {
    body(.microseconds(gdk_frame_clock_get_frame_time(clock)))
  }

  private static func from(_ data: gpointer?) -> FrameClockCallback? {
    data.map { Unmanaged<FrameClockCallback>.fromOpaque($0).takeUnretainedValue() }
  }
}
#endif
