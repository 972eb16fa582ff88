#if GTK
import HalcyonPipeline
import HalcyonViews
import CGTK

/// What a widget needs to show images, kept by the widget and gone with it.
@MainActor
final class WidgetBinding {
  let binder: ImageViewBinder
  let display: WidgetDisplay

  private let widget: UnsafeMutablePointer<GtkWidget>
  private var hasTapGesture = false

  private static let key = g_quark_from_string("halcyon-binding")

  private init(
    _ widget: UnsafeMutablePointer<GtkWidget>, kind: WidgetKind, pipeline: ImagePipeline, overlay: ViewOverlay?
  ) {
    self.widget = widget
    display = WidgetDisplay(widget, kind: kind, overlay: overlay)
    binder = ImageViewBinder(display: display, pipeline: pipeline)
    binder.isVisible = display.isOnScreen
    display.onChange = { [weak self] in self?.binder.displayDidChange() }
    display.onVisibilityChange = { [weak self] in self?.binder.isVisible = $0 }
    Signal.connect(widget, "destroy") { [weak self] in self?.stop() }
  }

  /// The binding that a widget has, if it has one.
  static func existing(of widget: UnsafeMutablePointer<GtkWidget>) -> WidgetBinding? {
    g_object_get_qdata(object(widget), key).map { Unmanaged<WidgetBinding>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The binding of a widget, made where there is none.
  ///
  /// - Precondition: The widget is a `GtkPicture` or a `GtkImage`.
  static func make(
    for widget: UnsafeMutablePointer<GtkWidget>, pipeline: ImagePipeline, overlay: ViewOverlay? = nil
  ) -> WidgetBinding {
    if let binding = existing(of: widget) {
      if binding.binder.pipeline !== pipeline { binding.change(to: pipeline) }
      return binding
    }
    guard let kind = WidgetKind(widget) else {
      preconditionFailure("images are shown by a GtkPicture or a GtkImage, not by this widget")
    }
    MainLoop.runMainActor()
    followApplication(pipeline)
    let binding = WidgetBinding(widget, kind: kind, pipeline: pipeline, overlay: overlay)
    g_object_set_qdata_full(object(widget), key, Unmanaged.passRetained(binding).toOpaque()) { binding in
      binding.map { Unmanaged<WidgetBinding>.fromOpaque($0).release() }
    }
    return binding
  }

  /// Lets taps try again what failed.
  func watchTaps() {
    guard !hasTapGesture, let gesture = gtk_gesture_click_new() else { return }
    hasTapGesture = true
    Signal.connect(gpointer(gesture), "released", .press) { [weak self] in _ = self?.binder.didTap() }
    gtk_widget_add_controller(widget, gesture)
  }

  private func change(to pipeline: ImagePipeline) {
    binder.pipeline = pipeline
    Self.followApplication(pipeline)
  }

  private static func followApplication(_ pipeline: ImagePipeline) {
    if let application = g_application_get_default() { pipeline.cache.followLifeCycle(of: application) }
  }

  /// The widget is about to go: nothing touches it any more, and what is being loaded ends.
  private func stop() {
    display.stop()
    g_object_set_qdata(Self.object(widget), Self.key, nil)
  }

  private static func object(_ widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
  }
}
#endif
