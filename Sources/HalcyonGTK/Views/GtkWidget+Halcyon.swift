#if canImport(CHalcyonGTK)
public import CHalcyonGTK
public import HalcyonViews
import Halcyon

extension UnsafeMutablePointer<GtkWidget> {
  /// Loads images into the widget: `picture.hc.setImage(with: url)`.
  ///
  /// ```swift
  /// let picture = gtk_picture_new()!
  /// picture.hc.setImage(with: url, placeholder: .icon("image-x-generic-symbolic"))
  /// ```
  ///
  /// Created at the first use and owned by the widget: destroying the widget supersedes its load, whose completion is
  /// called in the signal `destroy`, while the widget is alive. Images that are set in there are not loaded.
  ///
  /// Its pipeline is that of the ``PictureView``, otherwise ``ImagePipeline/shared``, until ``ImageViewProxy/pipeline``
  /// is set; a call of `setImage` can name another one. Images are loaded at the widget's size in device pixels.
  ///
  /// Custom indicators have to be a pointer to a `GtkWidget`, custom placeholders a pointer to a `GtkWidget` or a
  /// `GdkPaintable`; only a ``PictureView`` shows widgets. A custom transition receives the pointer to this widget.
  ///
  /// - Precondition: The widget is a `GtkPicture` or a `GtkImage`.
  @MainActor public var hc: ImageViewProxy { WidgetBinding.of(self).binder.hc }
}

extension OpaquePointer {
  /// Loads images into a widget: the pointer has to be to a `GtkPicture` or a `GtkImage`.
  @MainActor public var hc: ImageViewProxy { UnsafeMutablePointer<GtkWidget>(self).hc }
}
#endif
