/// An event that happens once and can be awaited.
public final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiterCount = 0
  }

  private let state = Monitor(State())

  public init() {}

  /// Ends all waits, also those that begin later.
  public func set() { state.update { $0.isSet = true } }

  /// Waits until the signal is set, or the task is cancelled: by the time limit of the test, if nothing sets it.
  public func wait() async {
    state.update { $0.waiterCount += 1 }
    try? await state.wait { $0.isSet }
    state.update { $0.waiterCount -= 1 }
  }

  /// Waits until the signal is set, even when the task is cancelled: for doubles that do not notice a cancellation.
  public func waitIgnoringCancellation() async {
    state.update { $0.waiterCount += 1 }
    await state.waitIgnoringCancellation { $0.isSet }
    state.update { $0.waiterCount -= 1 }
  }

  /// Waits until another task waits for the signal, or this task is cancelled.
  public func waitForWaiter() async { try? await state.wait { $0.waiterCount > 0 } }
}

/// A counter whose value can be awaited.
public final class Counter: Sendable {
  private let state = Monitor(0)

  public init() {}

  /// How often it was incremented.
  public var count: Int { state.read { $0 } }

  /// Adds one.
  public func increment() { state.update { $0 += 1 } }

  /// Waits until the counter is at least `target`, or the task is cancelled.
  public func wait(for target: Int) async { try? await state.wait { $0 >= target } }
}
