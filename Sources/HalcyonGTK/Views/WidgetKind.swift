#if canImport(CHalcyonGTK)
import HalcyonViews
import CHalcyonGTK

/// The kind of a widget that can show images.
enum WidgetKind {
  case picture
  case image

  /// Returns `nil` for other widgets.
  init?(_ widget: UnsafeMutablePointer<GtkWidget>) {
    if widget.isInstance(of: gtk_picture_get_type()) {
      self = .picture
    } else if widget.isInstance(of: gtk_image_get_type()) {
      self = .image
    } else {
      return nil
    }
  }

  /// The properties on which ``imageSize(of:)`` and ``mode(of:)`` depend.
  var layoutProperties: [String] {
    switch self {
    case .picture: ["content-fit"]
    case .image: ["pixel-size", "icon-size"]
    }
  }

  /// The space for the image in points; zero before the widget has an allocation.
  func imageSize(of widget: UnsafeMutablePointer<GtkWidget>) -> DrawingSize {
    let allocation = DrawingSize(
      width: Double(gtk_widget_get_width(widget)), height: Double(gtk_widget_get_height(widget)))
    switch self {
    case .picture: return allocation
    case .image:
      let side = Double(gtk_image_get_pixel_size(OpaquePointer(widget)))
      return side > 0 ? DrawingSize(width: side, height: side) : allocation
    }
  }

  /// The width and the height in points of a `GtkPicture` whose paintable has no size, unless its place gives it one.
  static let emptySide = 16.0

  /// Whether the program or the kind of the widget gives it a width, and a height.
  func givenSides(of widget: UnsafeMutablePointer<GtkWidget>) -> (width: Bool, height: Bool) {
    guard self == .picture else { return (true, true) }
    var (width, height) = (gint(0), gint(0))
    gtk_widget_get_size_request(widget, &width, &height)
    return (Double(width) >= Self.emptySide, Double(height) >= Self.emptySide)
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

  /// The content that the program has set on the widget: a paintable other than `paintable`, or a named icon.
  func programContent(
    of widget: UnsafeMutablePointer<GtkWidget>, except paintable: OpaquePointer
  ) -> DisplayContent.Picture? {
    let widget = OpaquePointer(widget)
    let shown: OpaquePointer?
    switch self {
    case .picture: shown = gtk_picture_get_paintable(widget)
    case .image:
      if gtk_image_get_storage_type(widget) == GTK_IMAGE_ICON_NAME, let name = gtk_image_get_icon_name(widget) {
        return .icon(String(cString: name))
      }
      shown = gtk_image_get_paintable(widget)
    }
    guard let shown, shown != paintable else { return nil }
    return .view(shown)
  }

  /// The side of an icon in points: the size of the widget, from 16 to 64; 64 before it has an allocation.
  func iconSide(of widget: UnsafeMutablePointer<GtkWidget>) -> gint {
    let size = imageSize(of: widget)
    return size.isEmpty ? 64 : gint(max(16, min(64, size.width, size.height)))
  }
}
#endif
