#if GTK
public import CGTK
public import Halcyon

/// A `GtkPicture` below room for other widgets, so that placeholders and indicators may be widgets, too.
///
/// ```swift
/// let view = PictureView()
/// gtk_box_append(box, view.widget)
/// view.hc.setImage(with: url, placeholder: .view { gtk_label_new("Wait") as Any })
/// ```
///
/// Its widgets live as long as this, or as long as something holds ``widget``.
@MainActor
public final class PictureView {
  /// What to put into a window: a `GtkOverlay`.
  public let widget: UnsafeMutablePointer<GtkWidget>
  /// The `GtkPicture` in it.
  public let picture: UnsafeMutablePointer<GtkWidget>

  private let reference: ObjectReference

  /// Creates an empty view.
  ///
  /// - Parameter pipeline: What loads its images, unless `setImage` names another one.
  public init(pipeline: ImagePipeline = .shared) {
    guard let overlay = gtk_overlay_new(), let picture = gtk_picture_new() else {
      preconditionFailure("GTK makes no widgets. Call gtk_init first.")
    }
    reference = ObjectReference(adopting: OpaquePointer(g_object_ref_sink(gpointer(overlay))))
    (widget, self.picture) = (overlay, picture)
    gtk_overlay_set_child(OpaquePointer(overlay), picture)
    _ = WidgetBinding.make(for: picture, pipeline: pipeline, overlay: ViewOverlay(OpaquePointer(overlay)))
  }

  /// The image that the view shows.
  public var hc: WidgetImage { picture.hc }
}

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
