#if canImport(CHalcyonGTK)
import CHalcyonGTK
import HalcyonViews

/// Reports a widget to assistive technologies: its alternative text, and that it is busy or has failed.
@MainActor
final class WidgetAccessibility {
  private let widget: UnsafeMutablePointer<GtkWidget>
  private let kind: WidgetKind
  private var options = ImageViewOptions()
  private var told = ViewAccessibility(.empty, ImageViewOptions())

  init(_ widget: UnsafeMutablePointer<GtkWidget>, kind: WidgetKind) {
    (self.widget, self.kind) = (widget, kind)
  }

  /// An image is set, with its options. A text that the program has set itself stays while they have none.
  func prepare(for options: ImageViewOptions) {
    self.options = options
    let label = options.alternativeText
    if label != nil || told.label != nil { setText(label) }
    told.label = label
  }

  /// - Parameter canRetry: Whether the user can retry a failed image.
  func update(_ phase: ImagePhase, canRetry: Bool) {
    let next = ViewAccessibility(phase, options, canRetry: canRetry)
    if next.isBusy != told.isBusy { setBusy(next.isBusy) }
    if next.value != told.value || next.isButton != told.isButton {
      let hint = next.isButton && options.failureText == nil ? " Press Enter to try again." : ""
      widget.setAccessibleText(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, next.value.map { $0 + hint } ?? next.label)
    }
    told = next
  }

  private func setText(_ text: String?) {
    if kind == .picture { gtk_picture_set_alternative_text(OpaquePointer(widget), text) }
    widget.setAccessibleText(GTK_ACCESSIBLE_PROPERTY_LABEL, text)
  }

  private func setBusy(_ isBusy: Bool) {
    var state = GTK_ACCESSIBLE_STATE_BUSY
    var value = GValue()
    gtk_accessible_state_init_value(state, &value)
    defer { g_value_unset(&value) }
    g_value_set_boolean(&value, isBusy ? 1 : 0)
    gtk_accessible_update_state_value(OpaquePointer(widget), 1, &state, &value)
  }
}

extension UnsafeMutablePointer<GtkWidget> {
  /// Tells assistive technologies a text, or resets it.
  func setAccessibleText(_ property: GtkAccessibleProperty, _ text: String?) {
    guard let text else { return gtk_accessible_reset_property(OpaquePointer(self), property) }
    var property = property
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    defer { g_value_unset(&value) }
    g_value_set_string(&value, text)
    gtk_accessible_update_property_value(OpaquePointer(self), 1, &property, &value)
  }
}
#endif
