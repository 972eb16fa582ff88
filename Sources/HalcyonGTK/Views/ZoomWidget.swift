#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// The GObject type `HalcyonZoomableView`: a widget whose child is drawn by a closure, or as it is.
@MainActor
enum ZoomWidget {
  typealias Drawing = @MainActor (_ snapshot: OpaquePointer) -> Bool

  /// A closure that the widget retains.
  private final class Box {
    let draw: Drawing

    init(_ draw: @escaping Drawing) { self.draw = draw }
  }

  private static let key = g_quark_from_string("halcyon-drawing")

  /// A widget that takes the keyboard focus, and all space that its parent has.
  static func make(around child: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget> {
    guard let object = g_object_new_with_properties(type, 0, nil, nil) else {
      preconditionFailure("GTK cannot create widgets. Call gtk_init first.")
    }
    let widget = UnsafeMutablePointer<GtkWidget>(OpaquePointer(object))
    gtk_widget_set_parent(child, widget)
    gtk_widget_set_focusable(widget, 1)
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN)
    gtk_widget_set_hexpand(widget, 1)
    gtk_widget_set_vexpand(widget, 1)
    return widget
  }

  /// - Parameter draw: Returns whether it has drawn the widget; otherwise the child is.
  static func setDrawing(of widget: UnsafeMutablePointer<GtkWidget>, _ draw: @escaping Drawing) {
    widget.own(Box(draw), under: key)
  }

  private static let type = BinWidget.register(
    "HalcyonZoomableView",
    { type, _ in
      guard let type else { return }
      BinWidget.initializeClass(type)
      type.assumingMemoryBound(to: GtkWidgetClass.self).pointee.snapshot = { widget, snapshot in
        nonisolated(unsafe) let (widget, snapshot) = (widget, snapshot)
        MainActor.assumeIsolated { ZoomWidget.draw(widget, snapshot) }
      }
    }, nil)

  private static func draw(_ widget: UnsafeMutablePointer<GtkWidget>?, _ snapshot: OpaquePointer?) {
    guard let widget, let snapshot else { return }
    let box: Box? = widget.owned(under: key)
    if box?.draw(snapshot) != true, let child = gtk_widget_get_first_child(widget) {
      gtk_widget_snapshot_child(widget, child, snapshot)
    }
  }
}
#endif
