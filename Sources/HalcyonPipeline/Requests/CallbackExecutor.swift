/// The queue, actor or thread on which callbacks are called.
///
/// ```swift
/// let queue = DispatchQueue(label: "images")
/// request.options.callbackExecutor = CallbackExecutor { queue.async(execute: $0) }
/// ```
public struct CallbackExecutor: Sendable {
  private let start: @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void

  /// Creates a custom executor.
  ///
  /// - Parameter start: Must call its argument exactly once, now or later, for example on a dispatch queue:
  ///   `{ queue.async(execute: $0) }`.
  public init(_ start: @escaping @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void) {
    self.start = start
  }

  /// Calls asynchronously on the main actor.
  public static let main = CallbackExecutor { callback in
    Task { @MainActor in callback() }
  }
  /// Calls synchronously on the thread that ends the load. It belongs to Swift's cooperative pool, so the callback must
  /// not block.
  public static let immediate = CallbackExecutor { callback in callback() }

  func callAsFunction(_ callback: @escaping @Sendable () -> Void) { start(callback) }
}
