import HalcyonSupport
import Synchronization

/// What a cache tells those who listen of the entries that it lets go. Next to nothing is done when nobody listens.
package final class EvictionObservers: Sendable {
  package struct Item: Sendable {
    package var tier: CacheTier
    package var count: Int
    package var reason: EvictionReason
  }

  package typealias Handler = @Sendable (Item) -> Void

  private struct State {
    var handlers: [UInt64: Handler] = [:]
    var lastID: UInt64 = 0
  }

  private let tier: CacheTier
  private let isHeardFlag = Atomic(false)
  private let state = Lock(State())

  init(tier: CacheTier) {
    self.tier = tier
  }

  var isHeard: Bool { isHeardFlag.load(ordering: .relaxed) }

  /// - Returns: What listens as long as it is held.
  package func listen(_ handler: @escaping Handler) -> Subscription {
    let id = state.withLock { state in
      state.lastID += 1
      state.handlers[state.lastID] = handler
      isHeardFlag.store(true, ordering: .relaxed)
      return state.lastID
    }
    return Subscription { [weak self] in self?.remove(id) }
  }

  /// Tells everyone; called when no lock is held.
  func tell(count: Int, _ reason: EvictionReason) {
    guard count > 0 else { return }
    for handler in state.withLock({ Array($0.handlers.values) }) {
      handler(Item(tier: tier, count: count, reason: reason))
    }
  }

  private func remove(_ id: UInt64) {
    let removed = state.withLock { state in
      let removed = state.handlers.removeValue(forKey: id)
      isHeardFlag.store(!state.handlers.isEmpty, ordering: .relaxed)
      return removed
    }
    withExtendedLifetime(removed) {}
  }
}

/// Listens until it is let go.
package final class Subscription: Sendable {
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  deinit { onEnd() }
}
