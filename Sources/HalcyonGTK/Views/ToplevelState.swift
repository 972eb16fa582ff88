#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// Notifies widgets whether their window is minimised or suspended, for example on another workspace. Owned by the surface
/// of the window, of which it has one handler.
@MainActor
final class ToplevelState {
  private static let key = g_quark_from_string("halcyon-toplevel-state")
  /// `GDK_TOPLEVEL_STATE_SUSPENDED`, which GTK sets since 4.12.
  private static let suspended: UInt32 = 1 << 16

  private(set) var isHidden = false
  private let surface: OpaquePointer
  private var observers: [UnsafeMutablePointer<GtkWidget>: @MainActor () -> Void] = [:]

  private init(_ surface: OpaquePointer) {
    self.surface = surface
    isHidden = currentlyHidden
    surface.connect("notify::state") { [weak self] in self?.update() }
  }

  /// The state of a widget's window, created at the first call; `nil` for a popover or a widget that is not realized.
  static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> ToplevelState? {
    guard let surface = gtk_widget_get_native(widget).flatMap({ gtk_native_get_surface($0) }),
      surface.isInstance(of: gdk_toplevel_get_type())
    else { return nil }
    return surface.owned(under: key) ?? surface.own(ToplevelState(surface), under: key)
  }

  /// Calls `body` after each change of ``isHidden``, until the observer is removed.
  func addObserver(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void) {
    observers[widget] = body
  }

  func removeObserver(_ widget: UnsafeMutablePointer<GtkWidget>) { observers[widget] = nil }

  private var currentlyHidden: Bool {
    gdk_toplevel_get_state(surface).rawValue & (GDK_TOPLEVEL_STATE_MINIMIZED.rawValue | Self.suspended) != 0
  }

  private func update() {
    guard currentlyHidden != isHidden else { return }
    isHidden = currentlyHidden
    for body in observers.values { body() }
  }
}
#endif
