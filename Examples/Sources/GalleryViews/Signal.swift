import HalcyonGTK

/// Connects closures as signal handlers, released with the object.
@MainActor
enum Signal {
  private final class Box<Body> {
    let body: Body

    init(_ body: Body) { self.body = body }
  }

  /// Connects to a signal without arguments.
  static func connect(_ object: OpaquePointer, _ name: String, _ body: @escaping @MainActor () -> Void) {
    let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
      Signal.with(data) { (body: @MainActor () -> Void) in body() }
    }
    connect(object, name, unsafeBitCast(handler, to: GCallback.self), Box(body))
  }

  /// Connects to a signal with one object, such as those of a `GtkSignalListItemFactory`.
  static func connect(
    _ object: OpaquePointer, _ name: String, object body: @escaping @MainActor (OpaquePointer) -> Void
  ) {
    let handler: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, argument, data in
      // GTK emits signals on the main thread, where the body runs before this returns.
      nonisolated(unsafe) let argument = argument
      Signal.with(data) { (body: @MainActor (OpaquePointer) -> Void) in
        if let argument { body(argument) }
      }
    }
    connect(object, name, unsafeBitCast(handler, to: GCallback.self), Box(body))
  }

  /// Connects to a signal with a position in a list.
  static func connect(_ object: OpaquePointer, _ name: String, position body: @escaping @MainActor (Int) -> Void) {
    let handler: @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, position, data in
      Signal.with(data) { (body: @MainActor (Int) -> Void) in body(Int(position)) }
    }
    connect(object, name, unsafeBitCast(handler, to: GCallback.self), Box(body))
  }

  /// Connects to `key-pressed`; the closure returns whether it has handled the key.
  static func connectKeys(_ controller: OpaquePointer, _ body: @escaping @MainActor (guint) -> Bool) {
    let handler: @convention(c) (gpointer?, guint, guint, guint, gpointer?) -> gboolean = { _, key, _, _, data in
      var isHandled = false
      Signal.with(data) { (body: @MainActor (guint) -> Bool) in isHandled = body(key) }
      return isHandled ? 1 : 0
    }
    connect(controller, "key-pressed", unsafeBitCast(handler, to: GCallback.self), Box(body))
  }

  private static func connect<Body>(_ object: OpaquePointer, _ name: String, _ handler: GCallback, _ box: Box<Body>) {
    g_signal_connect_data(
      gpointer(object), name, handler, Unmanaged.passRetained(box as AnyObject).toOpaque(),
      { data, _ in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, GConnectFlags(0))
  }

  /// Calls `call` with the boxed closure. GTK calls handlers on the main thread.
  private nonisolated static func with<Body>(_ data: gpointer?, _ call: @MainActor (Body) -> Void) {
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
      guard let data, let box = Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue() as? Box<Body> else {
        return
      }
      call(box.body)
    }
  }
}
