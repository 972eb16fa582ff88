#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// The colours, the icon theme and the settings of a widget, as they are when something is drawn; or of no widget, for a
/// paintable that any widget may show.
@MainActor
final class WidgetStyle {
  /// The colour of text without a widget: the one with which the paintable was drawn last.
  var lastTextColor = GdkRGBA(red: 0, green: 0, blue: 0, alpha: 1)

  /// `nil` without a widget.
  private let widget: WeakObject?
  /// Device pixels per point without a widget.
  private let scale: gint

  init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    (self.widget, scale) = (WeakObject(OpaquePointer(widget)), 1)
  }

  init(scale: gint) { (widget, self.scale) = (nil, scale) }

  /// The colour of text; of a widget that has been freed, the last one.
  var textColor: GdkRGBA {
    if let color = with({ widget in
      var color = GdkRGBA()
      gtk_shim_text_color(widget, &color)
      return color
    }) {
      lastTextColor = color
    }
    return lastTextColor
  }

  /// A colour that the theme names, such as `theme_bg_color`.
  func color(named name: String) -> GdkRGBA? {
    with { widget -> GdkRGBA? in
      var color = GdkRGBA()
      return gtk_shim_lookup_color(widget, name, &color) != 0 ? color : nil
    } ?? nil
  }

  /// Whether transitions and animations are enabled in the settings of the desktop.
  var animates: Bool {
    with { widget in
      guard let settings = gtk_widget_get_settings(widget) else { return true }
      var value = GValue()
      g_value_init(&value, g_type_from_name("gboolean"))
      defer { g_value_unset(&value) }
      g_object_get_property(
        UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations", &value)
      return g_value_get_boolean(&value) != 0
    } ?? true
  }

  /// An icon of the theme.
  ///
  /// - Parameter side: In points.
  func icon(_ name: String, side: gint) -> ObjectReference? {
    guard let variant = iconVariant, let display = with({ gtk_widget_get_display($0) }) ?? gdk_display_get_default()
    else { return nil }
    return gtk_icon_theme_lookup_icon(
      gtk_icon_theme_get_for_display(display), name, nil, side, variant.scale,
      GtkTextDirection(rawValue: variant.direction), GtkIconLookupFlags(0)
    ).map { ObjectReference(adopting: $0) }
  }

  /// The scale factor and the direction of text, on which icons depend; `nil` if the widget has been freed.
  var iconVariant: IconVariant? {
    guard widget != nil else {
      return IconVariant(scale: scale, direction: gtk_widget_get_default_direction().rawValue)
    }
    return with {
      IconVariant(scale: gtk_widget_get_scale_factor($0), direction: gtk_widget_get_direction($0).rawValue)
    }
  }

  struct IconVariant: Hashable {
    let scale: gint
    let direction: UInt32
  }

  private func with<Result>(_ body: (UnsafeMutablePointer<GtkWidget>) -> Result) -> Result? {
    guard let object = widget?.object else { return nil }
    return withExtendedLifetime(object) { body(UnsafeMutablePointer<GtkWidget>(object.pointer)) }
  }
}
#endif
