/// Where callbacks are called.
public struct CallbackExecutor: Sendable {
  private let start: @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void

  /// Creates an executor of any kind.
  ///
  /// - Parameter start: Calls what it is given, once, now or later; on a queue, for example: `{ queue.async(execute: $0) }`.
  public init(_ start: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void) {
    self.start = start
  }

  /// On the main actor, soon after the end of the load.
  public static let main = CallbackExecutor { callback in
    Task { @MainActor in callback() }
  }
  /// At once, on the thread that ends the load: one of Swift's cooperative threads, which must not block.
  public static let immediate = CallbackExecutor { callback in callback() }

  func callAsFunction(_ callback: @escaping @Sendable () -> Void) { start(callback) }
}
