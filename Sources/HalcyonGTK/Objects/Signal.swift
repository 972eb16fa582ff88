#if canImport(CGTK)
import CGTK

/// A closure connected to a signal of a GObject; released when the object is finalized or the handler disconnected.
@MainActor
final class Signal {
  private let body: @MainActor () -> Void

  private init(_ body: @escaping @MainActor () -> Void) {
    self.body = body
  }

  /// The arguments of a signal after the instance. They are not passed to the closure.
  enum Arguments {
    case none
    /// One number, such as the direction of text in `direction-changed`.
    case number
    /// One pointer, such as the `GParamSpec` of `notify`.
    case pointer
    /// The number of presses and the position, as `GtkGestureClick` has them.
    case press
  }

  /// Calls `body` at each emission of the signal `name`, such as `map` or `notify::scale-factor`.
  static func connect(
    _ object: gpointer, _ name: String, _ arguments: Arguments = .none, _ body: @escaping @MainActor () -> Void
  ) {
    let signal = Unmanaged.passRetained(Signal(body)).toOpaque()
    g_signal_connect_data(
      object, name, handler(arguments), signal,
      { data, _ in data.map { Unmanaged<Signal>.fromOpaque($0).release() } }, GConnectFlags(0))
  }

  private static func handler(_ arguments: Arguments) -> GCallback {
    typealias Plain = @convention(c) (gpointer?, gpointer?) -> Void
    typealias WithPointer = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
    typealias WithNumber = @convention(c) (gpointer?, gint, gpointer?) -> Void
    typealias WithPress = @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void
    let plain: Plain = { _, data in Signal.emit(data) }
    let withPointer: WithPointer = { _, _, data in Signal.emit(data) }
    let withNumber: WithNumber = { _, _, data in Signal.emit(data) }
    let withPress: WithPress = { _, _, _, _, data in Signal.emit(data) }
    return switch arguments {
    case .none: unsafeBitCast(plain, to: GCallback.self)
    case .number: unsafeBitCast(withNumber, to: GCallback.self)
    case .pointer: unsafeBitCast(withPointer, to: GCallback.self)
    case .press: unsafeBitCast(withPress, to: GCallback.self)
    }
  }

  private nonisolated static func emit(_ data: gpointer?) {
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
      data.map { Unmanaged<Signal>.fromOpaque($0).takeUnretainedValue().body() }
    }
  }
}
#endif
