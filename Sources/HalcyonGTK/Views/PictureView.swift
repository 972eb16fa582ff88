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
#endif
