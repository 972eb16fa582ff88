import HalcyonGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer<GtkWidget> {
  /// Adds CSS classes.
  func styled(_ classes: String...) -> Widget {
    for name in classes { gtk_widget_add_css_class(self, name) }
    return self
  }
}

/// Unwraps a new widget. GTK returns NULL only if it has not been initialised.
func made(_ widget: Widget?) -> Widget {
  guard let widget else { preconditionFailure("GTK cannot create widgets. Call gtk_init first.") }
  return widget
}

@MainActor
func box(_ orientation: GtkOrientation, spacing: Int32 = 0, _ children: Widget...) -> Widget {
  let box = made(gtk_box_new(orientation, spacing))
  for child in children { gtk_box_append(box.cast(), child) }
  return box
}

@MainActor
func label(_ text: String = "", _ classes: String...) -> Widget {
  let label = made(gtk_label_new(text))
  gtk_label_set_xalign(label.opaque, 0)
  for name in classes { gtk_widget_add_css_class(label, name) }
  return label
}

@MainActor
func button(icon: String, tooltip: String, _ onClick: @escaping @MainActor () -> Void) -> Widget {
  let button = made(gtk_button_new_from_icon_name(icon))
  gtk_widget_set_tooltip_text(button, tooltip)
  button.connect("clicked", onClick)
  return button
}

@MainActor
func button(_ text: String, _ onClick: @escaping @MainActor () -> Void) -> Widget {
  let button = made(gtk_button_new_with_label(text))
  button.connect("clicked", onClick)
  return button
}
