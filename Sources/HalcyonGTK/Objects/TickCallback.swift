#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// Calls a closure in each frame of a widget's frame clock until the closure returns `false` or it is cancelled.
///
/// It is not called while the widget is not on a screen.
@MainActor
final class TickCallback {
  private let widget: UnsafeMutablePointer<GtkWidget>
  private let body: @MainActor (Duration) -> Bool
  /// `nil` once the callback has been removed, also by the end of the widget.
  private var id: guint?

  /// - Parameter body: Receives the frame time as an uptime, and returns whether to continue.
  init(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (Duration) -> Bool) {
    self.widget = widget
    self.body = body
    let data = Unmanaged.passRetained(self).toOpaque()
    id = gtk_widget_add_tick_callback(
      widget,
      { _, clock, data in
        nonisolated(unsafe) let (clock, data) = (clock, data)
        return MainActor.assumeIsolated { TickCallback.from(data)?.tick(clock) ?? false } ? 1 : 0
      }, data,
      { data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated { TickCallback.from(data)?.id = nil }
        data.map { Unmanaged<TickCallback>.fromOpaque($0).release() }
      })
  }

  func cancel() {
    if let id { gtk_widget_remove_tick_callback(widget, id) }
  }

  private func tick(_ clock: OpaquePointer?) -> Bool {
    body(.microseconds(gdk_frame_clock_get_frame_time(clock)))
  }

  private static func from(_ data: gpointer?) -> TickCallback? {
    data.map { Unmanaged<TickCallback>.fromOpaque($0).takeUnretainedValue() }
  }
}
#endif
