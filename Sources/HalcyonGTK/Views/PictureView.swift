#if canImport(CHalcyonGTK)
public import CHalcyonGTK
public import Halcyon
public import HalcyonViews

/// A `GtkPicture` in a `GtkOverlay`, so that placeholders and indicators can be widgets.
///
/// ```swift
/// let view = PictureView()
/// gtk_grid_attach(grid, view.widget, 0, 0, 1, 1)
/// view.hc.setImage(with: url, placeholder: .view { gtk_label_new("Wait") as Any })
/// ```
///
/// The widgets live as long as the view, or as long as anything else references ``widget``.
@MainActor
public final class PictureView {
  /// The `GtkOverlay` to add to a window.
  public let widget: UnsafeMutablePointer<GtkWidget>
  /// The `GtkPicture` in the overlay.
  public let picture: UnsafeMutablePointer<GtkWidget>

  private let references: [ObjectReference]

  /// Creates an empty view.
  ///
  /// - Parameter pipeline: The pipeline that loads the view's images, unless a call of `hc.setImage` names another one.
  ///   Default: ``ImagePipeline/shared``.
  public init(pipeline: ImagePipeline = .shared) {
    guard let overlay = gtk_overlay_new(), let picture = gtk_picture_new() else {
      preconditionFailure("GTK cannot create widgets. Call gtk_init first.")
    }
    references = [picture, overlay].map { ObjectReference(adopting: OpaquePointer(g_object_ref_sink(gpointer($0)))) }
    (widget, self.picture) = (overlay, picture)
    gtk_overlay_set_child(OpaquePointer(overlay), picture)
    _ = WidgetBinding.make(for: picture, pipeline: pipeline, overlay: ViewOverlay(OpaquePointer(overlay)))
  }

  /// Loads images into the view.
  public var hc: ImageViewProxy { picture.hc }
}

/// Custom widgets over a picture: a placeholder and an indicator.
@MainActor
final class ViewOverlay {
  private let overlay: OpaquePointer
  private var content: UnsafeMutablePointer<GtkWidget>?
  private var indicator: UnsafeMutablePointer<GtkWidget>?

  /// - Parameter overlay: A `GtkOverlay` that outlives the instance.
  init(_ overlay: OpaquePointer) {
    self.overlay = overlay
  }

  /// Shows a widget over the picture.
  ///
  /// - Returns: Whether `view` is a pointer to a `GtkWidget`.
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
  /// Casts a value to a widget; `nil` if it is not a pointer to a `GtkWidget`.
  fileprivate init?(anyWidget view: Any) {
    guard let pointer = view as? UnsafeMutablePointer<GtkWidget> ?? (view as? OpaquePointer).map({ Self($0) }),
      pointer.isInstance(of: gtk_widget_get_type())
    else { return nil }
    self = pointer
  }
}
#endif
