#if GTK
import CGTK

/// A closure of Swift's that an object calls, without arguments, until it is gone or the connection is cut.
@MainActor
final class Signal {
  private let body: @MainActor () -> Void

  private init(_ body: @escaping @MainActor () -> Void) {
    self.body = body
  }

  /// What a signal passes besides its object.
  enum Arguments {
    case none
    /// One pointer, as notifications of properties do.
    case object
    /// The number of presses, and where.
    case press
  }

  /// Calls `body` at each emission of a signal, or notification of a property (`notify::name`).
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
    typealias WithObject = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
    typealias WithPress = @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void
    let plain: Plain = { _, data in Signal.emit(data) }
    let withObject: WithObject = { _, _, data in Signal.emit(data) }
    let withPress: WithPress = { _, _, _, _, data in Signal.emit(data) }
    return switch arguments {
    case .none: unsafeBitCast(plain, to: GCallback.self)
    case .object: unsafeBitCast(withObject, to: GCallback.self)
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
