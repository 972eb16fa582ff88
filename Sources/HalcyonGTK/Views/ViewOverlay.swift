#if GTK
import CGTK

/// Widgets of a caller's over a picture: its placeholder, and its indicator.
@MainActor
final class ViewOverlay {
  private let overlay: OpaquePointer
  private var content: UnsafeMutablePointer<GtkWidget>?
  private var indicator: UnsafeMutablePointer<GtkWidget>?

  /// - Parameter overlay: A `GtkOverlay`, which outlives this.
  init(_ overlay: OpaquePointer) {
    self.overlay = overlay
  }

  /// Shows a widget above the picture.
  ///
  /// - Returns: Whether it is one.
  func showContent(_ view: Any) -> Bool {
    removeContent()
    content = add(view)
    return content != nil
  }

  func removeContent() {
    remove(content)
    content = nil
  }

  func showIndicator(_ view: Any) {
    removeIndicator()
    indicator = add(view)
  }

  func removeIndicator() {
    remove(indicator)
    indicator = nil
  }

  private func add(_ view: Any) -> UnsafeMutablePointer<GtkWidget>? {
    guard let widget = UnsafeMutablePointer<GtkWidget>(anyWidget: view) else { return nil }
    gtk_overlay_add_overlay(overlay, widget)
    return widget
  }

  private func remove(_ widget: UnsafeMutablePointer<GtkWidget>?) {
    if let widget { gtk_overlay_remove_overlay(overlay, widget) }
  }
}

extension UnsafeMutablePointer<GtkWidget> {
  /// A widget that somebody gave as a value of any type.
  fileprivate init?(anyWidget view: Any) {
    guard let pointer = view as? UnsafeMutablePointer<GtkWidget> ?? (view as? OpaquePointer).map({ Self($0) }) else {
      return nil
    }
    let instance = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self)
    guard g_type_check_instance_is_a(instance, gtk_widget_get_type()) != 0 else { return nil }
    self = pointer
  }
}
#endif
