import HalcyonCache
import HalcyonSupport

/// Revalidations of stale entries in the background, each once at a time for its key and cache.
///
/// Only ``ImageCache/flush()`` waits for them.
final class BackgroundRevalidations: Sendable {
  typealias Key = InFlightResponses.Key

  private struct State {
    var tasks: [Key: Task<Void, Never>] = [:]
    var isInvalidated = false
  }

  private let state = Lock(State())

  /// Starts a revalidation, unless one of the same key is running.
  func start(_ key: Key, trackedBy writes: BackgroundWrites, _ revalidate: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isInvalidated, state.tasks[key] == nil else { return }
      state.tasks[key] = writes.track { [self] in
        await revalidate()
        end(key)
      }
    }
  }

  /// Cancels all revalidations, and starts no more.
  func invalidate() {
    let tasks = state.withLock { state in
      state.isInvalidated = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }

  private func end(_ key: Key) {
    let ended = state.withLock { $0.tasks.removeValue(forKey: key) }
    withExtendedLifetime(ended) {}
  }
}
