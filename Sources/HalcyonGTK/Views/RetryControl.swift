#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// Retries the image of a widget by a click, Enter or Space.
///
/// The widget can have the keyboard focus while a retry is possible, and shows it.
@MainActor
final class RetryControl {
  private static let cssClass = "halcyon-retry"
  private static let keys = [GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter, GDK_KEY_space, GDK_KEY_KP_Space]

  private let widget: UnsafeMutablePointer<GtkWidget>
  private let retry: @MainActor () -> Bool
  private var isEnabled = false
  /// Whether a retry is possible.
  private var isPossible = false
  /// Whether the widget has the focus only because of this.
  private var givesFocus = false
  /// The handler of the next move of the focus within the window.
  private var focusHandler: gulong?

  /// - Parameter retry: Returns whether a retry has started.
  init(_ widget: UnsafeMutablePointer<GtkWidget>, retry: @escaping @MainActor () -> Bool) {
    (self.widget, self.retry) = (widget, retry)
    FocusStyle.install(gtk_widget_get_display(widget))
    addClick()
    addKeys()
  }

  /// A retry has become possible or impossible. A widget that has the focus keeps it until it leaves, so that the next key
  /// does not go to another one while the image is loading; also while another window is active.
  func update(isPossible: Bool) {
    self.isPossible = isPossible
    update()
  }

  private func update() {
    guard gtk_widget_in_destruction(widget) == 0, isPossible != isEnabled else { return }
    if !isPossible, gtk_widget_is_focus(widget) != 0, let window = gtk_widget_get_root(widget) {
      updateAfterMove(ofFocusIn: window)
      return
    }
    isEnabled = isPossible
    if isPossible {
      givesFocus = gtk_widget_get_focusable(widget) == 0
      if givesFocus { gtk_widget_set_focusable(widget, 1) }
      gtk_widget_add_css_class(widget, Self.cssClass)
    } else {
      if givesFocus { gtk_widget_set_focusable(widget, 0) }
      gtk_widget_remove_css_class(widget, Self.cssClass)
    }
  }

  private func updateAfterMove(ofFocusIn window: OpaquePointer) {
    guard focusHandler == nil else { return }
    focusHandler = window.connect("notify::focus-widget") { [weak self] in
      guard let self, let handler = focusHandler else { return }
      focusHandler = nil
      g_signal_handler_disconnect(gpointer(window), handler)
      // Later, since a widget must not become unable to have the focus while GTK moves that.
      _ = Task { [weak self] in self?.update() }
    }
  }

  private func addClick() {
    guard let gesture = gtk_gesture_click_new() else { return }
    gesture.connect("released") { [weak self] in _ = self?.retry() }
    gtk_widget_add_controller(widget, gesture)
  }

  private func addKeys() {
    guard let controller = gtk_shortcut_controller_new() else { return }
    for key in Self.keys {
      let data = Unmanaged.passRetained(Weak(self)).toOpaque()
      let action = gtk_callback_action_new(
        { _, _, data in
          nonisolated(unsafe) let data = data
          return MainActor.assumeIsolated {
            data.map { Unmanaged<Weak>.fromOpaque($0).takeUnretainedValue() }?.control?.retry() == true ? 1 : 0
          }
        }, data, { data in data.map { Unmanaged<Weak>.fromOpaque($0).release() } })
      let shortcut = gtk_shortcut_new(gtk_keyval_trigger_new(guint(key), GdkModifierType(0)), action)
      gtk_shortcut_controller_add_shortcut(controller, shortcut)
    }
    gtk_widget_add_controller(widget, controller)
  }

  private final class Weak {
    weak var control: RetryControl?
    init(_ control: RetryControl) { self.control = control }
  }

  /// The ring around a picture that has the focus, which themes do not draw.
  @MainActor
  private enum FocusStyle {
    private static var isInstalled = false

    static func install(_ display: OpaquePointer?) {
      guard !isInstalled, let display, let provider = gtk_css_provider_new() else { return }
      isInstalled = true
      let css = ".\(cssClass):focus-visible { outline: 2px solid currentColor; outline-offset: -3px; }"
      gtk_shim_load_css(provider, css)
      gtk_style_context_add_provider_for_display(
        display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_FALLBACK))
      g_object_unref(gpointer(provider))
    }
  }
}
#endif
