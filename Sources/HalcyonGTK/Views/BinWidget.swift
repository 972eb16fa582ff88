#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// What widget classes of this module have in common: one child, which fills the widget and ends with it.
enum BinWidget {
  /// Registers a type of widgets.
  static func register(_ name: String, _ initializeClass: GClassInitFunc, _ initialize: GInstanceInitFunc?) -> GType {
    g_type_register_static_simple(
      gtk_widget_get_type(), name, guint(MemoryLayout<GtkWidgetClass>.size), initializeClass,
      guint(MemoryLayout<GtkWidget>.size), initialize, GTypeFlags(0))
  }

  /// Initialises the class of such a type.
  static func initializeClass(_ type: gpointer) {
    gtk_widget_class_set_layout_manager_type(
      type.assumingMemoryBound(to: GtkWidgetClass.self), gtk_bin_layout_get_type())
    type.assumingMemoryBound(to: GObjectClass.self).pointee.dispose = { object in
      guard let object else { return }
      if let child = gtk_widget_get_first_child(UnsafeMutablePointer<GtkWidget>(OpaquePointer(object))) {
        gtk_widget_unparent(child)
      }
      g_type_class_peek(gtk_widget_get_type()).assumingMemoryBound(to: GObjectClass.self).pointee.dispose(object)
    }
  }
}
#endif
