import HalcyonSupport

/// Reports evictions of one cache to its observers. Almost free without observers.
package final class EvictionObservers: Sendable {
  /// Entries that were evicted together, for one reason.
  package struct Eviction: Sendable {
    package var tier: CacheTier
    package var count: Int
    package var reason: EvictionReason
  }

  package typealias Handler = @Sendable (Eviction) -> Void

  private let tier: CacheTier
  private let hasObserversFlag = Atomic(false)
  private let handlers = Lock(ObserverList<Handler>())

  init(tier: CacheTier) {
    self.tier = tier
  }

  var hasObservers: Bool { hasObserversFlag.load() }

  /// Calls `handler` for each eviction, without locks held, until the returned subscription is released.
  package func observe(_ handler: @escaping Handler) -> Subscription {
    let id = handlers.withLock { handlers in
      hasObserversFlag.store(true)
      return handlers.add(handler)
    }
    return Subscription { [weak self] in self?.remove(id) }
  }

  /// Notifies all observers. Must be called without locks held.
  func notify(count: Int, _ reason: EvictionReason) {
    guard count > 0 else { return }
    for handler in handlers.withLock(\.all) { handler(Eviction(tier: tier, count: count, reason: reason)) }
  }

  private func remove(_ id: UInt64) {
    let removed = handlers.withLock { handlers in
      let removed = handlers.remove(id)
      hasObserversFlag.store(!handlers.isEmpty)
      return removed
    }
    withExtendedLifetime(removed) {}
  }
}

/// Ends an observation when it is released.
package final class Subscription: Sendable {
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  deinit { onEnd() }
}
