#if GTK
import HalcyonViews
import CGTK

/// The widgets that show images, and how they differ.
enum WidgetKind {
  case picture
  case image

  /// `nil` for other widgets.
  init?(_ widget: UnsafeMutablePointer<GtkWidget>) {
    let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
    if g_type_check_instance_is_a(instance, gtk_picture_get_type()) != 0 {
      self = .picture
    } else if g_type_check_instance_is_a(instance, gtk_image_get_type()) != 0 {
      self = .image
    } else {
      return nil
    }
  }

  /// Properties that change the room or the mode.
  var roomProperties: [String] {
    switch self {
    case .picture: ["content-fit"]
    case .image: ["pixel-size", "icon-size"]
    }
  }

  /// What the picture may take, in points; nothing before the widget has its place.
  func room(of widget: UnsafeMutablePointer<GtkWidget>) -> DrawingSize {
    let whole = DrawingSize(width: Double(gtk_widget_get_width(widget)), height: Double(gtk_widget_get_height(widget)))
    switch self {
    case .picture: return whole
    case .image:
      let side = Double(gtk_image_get_pixel_size(OpaquePointer(widget)))
      return side > 0 ? DrawingSize(width: side, height: side) : whole
    }
  }

  func mode(of widget: UnsafeMutablePointer<GtkWidget>) -> ImageDisplayMode {
    switch self {
    case .image: .fit
    case .picture:
      switch gtk_picture_get_content_fit(OpaquePointer(widget)) {
      case GTK_CONTENT_FIT_COVER: .fill
      case GTK_CONTENT_FIT_FILL: .stretch
      default: .fit
      }
    }
  }

  func setPaintable(_ paintable: OpaquePointer, of widget: UnsafeMutablePointer<GtkWidget>) {
    let widget = OpaquePointer(widget)
    switch self {
    case .picture: if gtk_picture_get_paintable(widget) != paintable { gtk_picture_set_paintable(widget, paintable) }
    case .image: if gtk_image_get_paintable(widget) != paintable { gtk_image_set_from_paintable(widget, paintable) }
    }
  }

  /// An icon of the theme, at the size for the widget.
  func icon(_ name: String, of widget: UnsafeMutablePointer<GtkWidget>) -> ObjectReference? {
    guard let display = gtk_widget_get_display(widget) else { return nil }
    let room = room(of: widget)
    let side = room.isEmpty ? 64 : gint(max(16, min(64, room.width, room.height)))
    return gtk_icon_theme_lookup_icon(
      gtk_icon_theme_get_for_display(display), name, nil, side, gtk_widget_get_scale_factor(widget),
      gtk_widget_get_direction(widget), GtkIconLookupFlags(0)
    ).map { ObjectReference(adopting: $0) }
  }
}
#endif
