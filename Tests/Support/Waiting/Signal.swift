import Synchronization

/// An event that happens once and can be awaited.
public final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// Ends all waits, also those that begin later.
  public func set() {
    let waiters = state.withLock { state in
      state.isSet = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until the signal is set.
  public func wait() async {
    await withCheckedContinuation { continuation in
      let (isSet, watchers) = state.withLock { state in
        if !state.isSet { state.waiters.append(continuation) }
        defer { state.watchers = [] }
        return (state.isSet, state.watchers)
      }
      for watcher in watchers { watcher.resume() }
      if isSet { continuation.resume() }
    }
  }

  /// Waits until another task waits for the signal.
  public func waitForWaiter() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.waiters.isEmpty { state.watchers.append(continuation) }
        return !state.waiters.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }
}

/// A counter whose value can be awaited.
public final class Counter: Sendable {
  private struct State {
    var count = 0
    var waiters: [(target: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// How often it was incremented.
  public var count: Int { state.withLock(\.count) }

  /// Adds one.
  public func increment() {
    let ready = state.withLock { state in
      state.count += 1
      let ready = state.waiters.filter { $0.target <= state.count }
      state.waiters.removeAll { $0.target <= state.count }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Waits until the counter is at least `target`.
  public func wait(for target: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count < target { state.waiters.append((target, continuation)) }
        return state.count >= target
      }
      if isReached { continuation.resume() }
    }
  }
}
