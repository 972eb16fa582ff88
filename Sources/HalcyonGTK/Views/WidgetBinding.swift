#if canImport(CHalcyonGTK)
import HalcyonPipeline
import HalcyonViews
import CHalcyonGTK

/// The binder and the display of one widget, owned by the widget.
@MainActor
final class WidgetBinding {
  let binder: ImageViewBinder
  let display: WidgetDisplay
  /// Called with each phase of the view, after assistive technologies have been notified.
  var onPhaseChange: (@MainActor (ImagePhase) -> Void)?

  private let widget: UnsafeMutablePointer<GtkWidget>
  private let accessibility: WidgetAccessibility
  /// `nil` until an image can be retried.
  private var retryControl: RetryControl?
  /// The last pipeline passed to ``followApplication(_:)``.
  private weak var followedPipeline: ImagePipeline?

  private static let key = g_quark_from_string("halcyon-binding")

  private init(
    _ widget: UnsafeMutablePointer<GtkWidget>, kind: WidgetKind, overlay: ViewOverlay?,
    pipeline: @escaping () -> ImagePipeline
  ) {
    self.widget = widget
    accessibility = WidgetAccessibility(widget, kind: kind)
    display = WidgetDisplay(widget, kind: kind, overlay: overlay)
    binder = ImageViewBinder(display: display, makePipeline: pipeline)
    binder.isVisible = display.isVisible
    display.onChange = { [weak self] in self?.binder.displayDidChange() }
    display.onPrepare = { [weak self] options, pipeline in
      self?.accessibility.prepare(for: options)
      self?.followApplication(pipeline)
    }
    display.onPhaseChange = { [weak self] in self?.phaseDidChange($0) }
    display.onVisibilityChange = { [weak self] in self?.binder.isVisible = $0 }
    widget.connect("destroy") { [weak self] in self?.stop() }
  }

  /// The binding of a widget, made if it has none yet.
  static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> WidgetBinding {
    if let picture = PictureWidget.picture(of: widget) { return of(picture) }
    let binding = existing(of: widget) ?? make(for: widget, pipeline: .shared)
    // A handler of `destroy` that is called before or after the binding's own.
    if gtk_widget_in_destruction(widget) != 0 { binding.end() }
    return binding
  }

  /// The binding of a widget, or `nil` if it has none yet.
  static func existing(of widget: UnsafeMutablePointer<GtkWidget>) -> WidgetBinding? {
    widget.owned(under: key)
  }

  /// Creates the binding of a widget that has none yet.
  ///
  /// - Parameter pipeline: The view's own pipeline, evaluated at its first use.
  /// - Precondition: The widget is a `GtkPicture` or a `GtkImage`.
  static func make(
    for widget: UnsafeMutablePointer<GtkWidget>, pipeline: @autoclosure @escaping () -> ImagePipeline,
    overlay: ViewOverlay? = nil
  ) -> WidgetBinding {
    guard let kind = WidgetKind(widget) else {
      preconditionFailure("only a GtkPicture or a GtkImage can show images, not this widget")
    }
    MainLoop.runMainActor()
    return widget.own(WidgetBinding(widget, kind: kind, overlay: overlay, pipeline: pipeline), under: key)
  }

  private func phaseDidChange(_ phase: ImagePhase) {
    let canRetry = binder.retriesOnTap
    accessibility.update(phase, canRetry: canRetry)
    if canRetry, retryControl == nil {
      retryControl = RetryControl(widget) { [weak self] in self?.binder.didTap() == true }
    }
    retryControl?.update(isPossible: canRetry)
    onPhaseChange?(phase)
  }

  /// Notifies the caches of a pipeline when the default application shuts down, if there is one.
  private func followApplication(_ pipeline: ImagePipeline) {
    guard pipeline !== followedPipeline else { return }
    followedPipeline = pipeline
    if let application = g_application_get_default() { pipeline.cache.followLifeCycle(of: application) }
  }

  /// Ends everything that uses the widget, which is being destroyed but alive, and releases the binder.
  private func stop() {
    end()
    g_object_set_qdata(widget.cast(), Self.key, nil)
  }

  /// Supersedes the load, and detaches the display from the widget. Idempotent.
  private func end() {
    binder.end()
    display.stop()
  }
}
#endif
