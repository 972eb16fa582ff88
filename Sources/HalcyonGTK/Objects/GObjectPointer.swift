#if canImport(CHalcyonGTK)
public import CHalcyonGTK

/// A pointer to a GObject, as GTK's functions take and return it: to a type such as `GtkWidget`, or an opaque one.
///
/// ```swift
/// let button = gtk_button_new_with_label("Load")!
/// button.connect("clicked") { print("clicked") }
/// gtk_window_set_child(window.cast(), button)
/// ```
public protocol GObjectPointer {
  /// The pointer for functions that take an opaque one.
  var opaque: OpaquePointer { get }
}

extension OpaquePointer: GObjectPointer {
  /// Itself.
  public var opaque: OpaquePointer { self }
}

extension UnsafeMutablePointer: GObjectPointer {
  /// The pointer for functions that take an opaque one.
  public var opaque: OpaquePointer { OpaquePointer(self) }
}

extension Optional where Wrapped: GObjectPointer {
  /// The pointer for functions that take an opaque one; `nil` for no object.
  public var opaque: OpaquePointer? { map(\.opaque) }
}

extension GObjectPointer {
  /// The pointer as one to another type, such as `GtkWindow` for a `GtkWidget` that is a window.
  ///
  /// The type follows from the use. Nothing is checked: GTK complains when it gets an object of another type.
  public func cast<Other>(to type: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
    UnsafeMutablePointer(opaque)
  }

  /// Calls a closure at each emission of a signal, on the main thread.
  ///
  /// ```swift
  /// factory.connect("bind") { (item: OpaquePointer) in print(gtk_list_item_get_position(item)) }
  /// window.connect("notify::scale-factor") { print("on another screen") }
  /// controller.connect("key-pressed") { (key: Int) in key == GDK_KEY_Escape }
  /// ```
  ///
  /// The closure takes the first arguments of the signal after the object itself, or none. It is released, with what it
  /// captures, when the object is destroyed or finalized, or by `g_signal_handler_disconnect`. A closure that captures the
  /// owner of a widget keeps it alive until then.
  ///
  /// - Parameters:
  ///   - signal: The name, such as `clicked` or `notify::active`.
  ///   - body: Its parameters are declared as ``SignalValue``s. For a signal with a result it returns that: a `Bool`, which
  ///     is `true` in `close-request` if the closure has handled the signal, which then reaches no other handler; an `Int`,
  ///     for enumerations and flags too, or a `GdkDragAction`; a `Double`; a `String`; a pointer, to a reference that GTK takes over as from a function
  ///     in C; or an optional of these, of which `nil` leaves GTK's default. A signal without a result ignores it, and a
  ///     closure without one leaves the default.
  /// - Returns: The identifier of the handler.
  /// - Precondition: The object has the signal, which has at least as many arguments as the closure, and a result of its
  ///   type; checked now. The arguments have their types; checked when the signal is emitted.
  @MainActor @discardableResult
  public func connect<each Argument: SignalValue, Result>(
    _ signal: String, _ body: @escaping @MainActor (repeat each Argument) -> Result
  ) -> gulong {
    var count = 0
    for _ in repeat (each Argument).self { count += 1 }
    checkSignal(signal, argumentCount: count, result: Result.self)
    let handler = SignalHandler(signal) { arguments in
      var arguments = arguments
      return body(repeat (each Argument).next(of: &arguments))
    }
    let id = g_signal_connect_closure(gpointer(opaque), signal, handler.closure, 0)
    precondition(id != 0, "the object has no signal “\(signal)”")
    return id
  }

  private func checkSignal(_ signal: String, argumentCount: Int, result: Any.Type) {
    let instance = UnsafeMutablePointer<GTypeInstance>(opaque)
    var (id, detail) = (guint(0), GQuark(0))
    guard g_signal_parse_name(signal, instance.pointee.g_class.pointee.g_type, &id, &detail, 0) != 0 else { return }
    var query = GSignalQuery()
    g_signal_query(id, &query)
    precondition(
      argumentCount <= query.n_params,
      "the closure for “\(signal)” takes \(argumentCount) arguments, and the signal has \(query.n_params)")
    // A flag in the type says that the value is not copied.
    let type = query.return_type & ~GType(1)
    precondition(
      SignalResult.canStore(result, in: type),
      "the closure for “\(signal)” returns a \(result), and the signal a \(g_type_name(type).map { String(cString: $0) } ?? "")"
    )
  }
}

/// A Swift closure in a `GClosure`, which owns it.
@MainActor
private final class SignalHandler {
  typealias Body = @MainActor (SignalArguments) -> Any

  private let signal: String
  private let body: Body

  init(_ signal: String, _ body: @escaping Body) {
    self.signal = signal
    self.body = body
  }

  /// A new closure.
  var closure: UnsafeMutablePointer<GClosure>? {
    let data = Unmanaged.passRetained(self).toOpaque()
    let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data)
    g_closure_add_finalize_notifier(closure, data) { data, _ in
      data.map { Unmanaged<SignalHandler>.fromOpaque($0).release() }
    }
    g_closure_set_meta_marshal(closure, data) { _, result, count, values, _, data in
      // GTK emits signals on the main thread, where the body runs before this returns.
      nonisolated(unsafe) let (result, values, data) = (result, values, data)
      MainActor.assumeIsolated {
        guard let data else { return }
        let handler = Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue()
        let rest = UnsafeBufferPointer(start: values, count: Int(count)).dropFirst()
        let returned = handler.body(SignalArguments(signal: handler.signal, rest: rest))
        if let result { SignalResult.store(returned, in: result) }
      }
    }
    return closure
  }
}

/// The arguments of an emission that a closure has not taken yet.
struct SignalArguments {
  let signal: String
  var rest: Slice<UnsafeBufferPointer<GValue>>
}
#endif
