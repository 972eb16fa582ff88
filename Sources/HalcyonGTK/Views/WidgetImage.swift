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
/// An image from the memory cache is shown before `setImage` returns. Any other is loaded at the widget's size in
/// device pixels while the placeholder is shown; the result of a superseded load is never shown. The binder is created
/// with the first image and owned by the widget: destroying the widget cancels its load. Use it on the main thread
/// only, like all of GTK.
@MainActor
public struct WidgetImage {
  private let widget: UnsafeMutablePointer<GtkWidget>

  fileprivate init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    self.widget = widget
  }

  /// The binder that decides what the widget shows, for everything not forwarded here.
  ///
  /// It is created at the first use. Its pipeline is that of the ``PictureView``, otherwise ``ImagePipeline/shared``.
  public var binder: ImageViewBinder { binding.binder }

  /// Whether a load is in flight.
  public var isLoading: Bool { WidgetBinding.existing(of: widget)?.binder.isLoading ?? false }

  /// Shows the image at a URL.
  ///
  /// `nil` shows the placeholder and completes with ``ImageViewError/emptySource``. Otherwise the same as
  /// ``setImage(with:placeholder:options:pipeline:completion:)`` with a request.
  @discardableResult
  public func setImage(
    with url: URL?, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = .default,
    pipeline: ImagePipeline? = nil, completion: ImageViewBinder.Completion? = nil
  ) -> ImageViewLoad? {
    bind(options, pipeline).setImage(
      with: url, placeholder: placeholder, options: options, pipeline: pipeline, completion: completion)
  }

  /// Shows the image at a URL, and reports the progress of its load.
  ///
  /// The same as ``setImage(with:placeholder:options:pipeline:completion:progress:)`` with a request.
  @discardableResult
  public func setImage(
    with url: URL?, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = .default,
    pipeline: ImagePipeline? = nil, completion: ImageViewBinder.Completion?,
    progress: @escaping ImageViewBinder.Progress
  ) -> ImageViewLoad? {
    bind(options, pipeline).setImage(
      with: url, placeholder: placeholder, options: options, pipeline: pipeline, completion: completion,
      progress: progress)
  }

  /// Shows the image of a request, superseding the widget's previous load.
  ///
  /// Custom indicators have to be a pointer to a `GtkWidget`, custom placeholders a pointer to a `GtkWidget` or a
  /// `GdkPaintable`. Only a ``PictureView`` shows widgets. A custom transition receives the pointer to this widget.
  ///
  /// - Parameters:
  ///   - request: The image to load, and its size if that differs from the widget's.
  ///   - placeholder: Shown until the image is loaded. Default: `nil`, nothing.
  ///   - options: How the image is shown. Default: ``ImageViewOptions/default``.
  ///   - pipeline: The pipeline that loads this image. Default: `nil`, that of the ``binder``.
  ///   - completion: Called exactly once, with the result.
  /// - Returns: The load, or `nil` if it has completed before this returns.
  /// - Precondition: The widget is a `GtkPicture` or a `GtkImage`.
  @discardableResult
  public func setImage(
    with request: ImageRequest, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = .default,
    pipeline: ImagePipeline? = nil, completion: ImageViewBinder.Completion? = nil
  ) -> ImageViewLoad? {
    bind(options, pipeline).setImage(
      with: request, placeholder: placeholder, options: options, pipeline: pipeline, completion: completion)
  }

  /// Shows the image of a request, and reports the progress of its load.
  ///
  /// - Parameters:
  ///   - request: The image to show.
  ///   - placeholder: Shown until it is loaded. Default: nothing.
  ///   - options: How it is loaded and shown.
  ///   - pipeline: Loads it. Default: the pipeline of the view.
  ///   - completion: Called exactly once, with the result; `nil` for none. It has no default, so that a single trailing
  ///     closure is always the completion.
  ///   - progress: Called with the progress of the load until it ends or is superseded.
  /// - Returns: The load, or `nil` if it has completed before this returns.
  /// - Precondition: The widget is a `GtkPicture` or a `GtkImage`.
  @discardableResult
  public func setImage(
    with request: ImageRequest, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = .default,
    pipeline: ImagePipeline? = nil, completion: ImageViewBinder.Completion?,
    progress: @escaping ImageViewBinder.Progress
  ) -> ImageViewLoad? {
    bind(options, pipeline).setImage(
      with: request, placeholder: placeholder, options: options, pipeline: pipeline, completion: completion,
      progress: progress)
  }

  /// Cancels the load in flight, if any. The widget's content stays.
  public func cancel() { WidgetBinding.existing(of: widget)?.binder.cancel() }

  private func bind(_ options: ImageViewOptions, _ pipeline: ImagePipeline?) -> ImageViewBinder {
    let binding = binding
    if options.retriesOnTap { binding.retryOnClick() }
    if let pipeline { binding.followApplication(pipeline) }
    return binding.binder
  }

  private var binding: WidgetBinding {
    WidgetBinding.existing(of: widget) ?? WidgetBinding.make(for: widget, pipeline: .shared)
  }
}

extension UnsafeMutablePointer<GtkWidget> {
  /// Loads images into the widget, which has to be a `GtkPicture` or a `GtkImage`.
  @MainActor public var hc: WidgetImage { WidgetImage(self) }
}

extension OpaquePointer {
  /// Loads images into a widget: the pointer has to be to a `GtkPicture` or a `GtkImage`.
  @MainActor public var hc: WidgetImage { WidgetImage(UnsafeMutablePointer(self)) }
}
#endif
