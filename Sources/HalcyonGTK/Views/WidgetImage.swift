#if GTK
public import CGTK
public import Foundation
public import Halcyon

/// The image of a `GtkPicture` or `GtkImage`: `picture.hc`.
///
/// ```swift
/// let picture = gtk_picture_new()!
/// picture.hc.setImage(with: url, placeholder: .icon("image-x-generic-symbolic"))
/// ```
///
/// An image in memory is there when `setImage` returns. Others are loaded at the size that the widget has on its screen,
/// in device pixels, while it shows its placeholder; what comes too late for it is never shown. What a widget needs for
/// this is made at its first image, kept by the widget and gone with it, which also ends what is being loaded. To be used
/// on the main thread, like all of GTK.
@MainActor
public struct WidgetImage {
  private let widget: UnsafeMutablePointer<GtkWidget>

  fileprivate init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    self.widget = widget
  }

  /// Decides what the widget shows: for everything that has no shortcut here.
  public var binder: ImageViewBinder { binding(nil).binder }

  /// Whether an image is on its way.
  public var isLoading: Bool { WidgetBinding.existing(of: widget)?.binder.isLoading ?? false }

  /// Shows the image at an address; `nil` shows the placeholder and completes with ``ImageViewError/emptySource``.
  ///
  /// Works as ``setImage(with:placeholder:options:pipeline:completion:progress:)`` with a request does.
  @discardableResult
  public func setImage(
    with url: URL?, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = ImageViewOptions(),
    pipeline: ImagePipeline = .shared, completion: ImageViewBinder.Completion? = nil,
    progress: (@MainActor (LoadProgress) -> Void)? = nil
  ) -> ImageViewLoad? {
    bind(options, pipeline).setImage(
      with: url, placeholder: placeholder, options: options, completion: completion, progress: progress)
  }

  /// Shows the image that a request describes, in place of what was asked for before.
  ///
  /// Placeholders and indicators that are views have to be a pointer to a `GtkWidget`, which only ``PictureView`` shows,
  /// or a placeholder one to a `GdkPaintable`; a custom transition gets the pointer to the widget.
  ///
  /// - Parameters:
  ///   - request: What to load, and at which size if that is not the widget's.
  ///   - placeholder: What stands in for the image. Default: nothing.
  ///   - options: How the image is shown.
  ///   - pipeline: What loads it.
  ///   - completion: Told the end, exactly once.
  ///   - progress: Told how far the load is, as long as the widget wants this image.
  /// - Returns: What is under way; `nil` for what has ended when this returns.
  /// - Precondition: The widget is a `GtkPicture` or a `GtkImage`.
  @discardableResult
  public func setImage(
    with request: ImageRequest, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = ImageViewOptions(),
    pipeline: ImagePipeline = .shared, completion: ImageViewBinder.Completion? = nil,
    progress: (@MainActor (LoadProgress) -> Void)? = nil
  ) -> ImageViewLoad? {
    bind(options, pipeline).setImage(
      with: request, placeholder: placeholder, options: options, completion: completion, progress: progress)
  }

  /// Ends the load, if there is one. What is shown stays.
  public func cancel() { WidgetBinding.existing(of: widget)?.binder.cancel() }

  private func bind(_ options: ImageViewOptions, _ pipeline: ImagePipeline) -> ImageViewBinder {
    let binding = binding(pipeline)
    if options.retriesOnTap { binding.watchTaps() }
    return binding.binder
  }

  private func binding(_ pipeline: ImagePipeline?) -> WidgetBinding {
    if pipeline == nil, let binding = WidgetBinding.existing(of: widget) { return binding }
    return WidgetBinding.make(for: widget, pipeline: pipeline ?? .shared)
  }
}

extension UnsafeMutablePointer<GtkWidget> {
  /// The image that the widget shows, which has to be a `GtkPicture` or a `GtkImage`.
  @MainActor public var hc: WidgetImage { WidgetImage(self) }
}

extension OpaquePointer {
  /// The image that a widget shows, for a pointer to a `GtkPicture` or a `GtkImage`.
  @MainActor public var hc: WidgetImage { WidgetImage(UnsafeMutablePointer(self)) }
}
#endif
