import HalcyonSupport

/// Reports memory pressure to all caches of the process, from one source.
package final class MemoryPressureMonitor: Sendable {
  package typealias Handler = @Sendable (MemoryPressure) -> Void

  /// Reports the pressure of the system.
  package static let system = MemoryPressureMonitor(source: SystemMemoryPressure())

  private let source: any MemoryPressureSource
  private let handlers = Lock(ObserverList<Handler>())
  private let watching = Lock<Task<Void, Never>?>(nil)

  package init(source: any MemoryPressureSource) { self.source = source }

  deinit { watching.withLock(\.self)?.cancel() }

  /// Calls `handler` for each event, in order, on any thread, until the returned subscription is released. The first
  /// call starts to watch the source.
  package func observe(_ handler: @escaping Handler) -> Subscription {
    let id = handlers.withLock { $0.add(handler) }
    watching.withLock { [source] task in
      guard task == nil else { return }
      task = Task.detached(priority: .utility) { [weak self] in
        for await pressure in source.events() { self?.report(pressure) }
      }
    }
    return Subscription { [self] in
      let removed = handlers.withLock { $0.remove(id) }
      withExtendedLifetime(removed) {}
    }
  }

  private func report(_ pressure: MemoryPressure) {
    for handler in handlers.withLock(\.all) { handler(pressure) }
  }
}
