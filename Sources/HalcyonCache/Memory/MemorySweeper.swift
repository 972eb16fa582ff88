import HalcyonSupport

/// Removes what has expired from a memory cache that nobody uses, as long as it holds something that can expire.
///
/// The cache says when to begin. The work ends with the cache, which it does not keep alive while it waits.
final class MemorySweeper: Sendable {
  /// Where the clocks are the system's. Expired images are not served meanwhile, they only take their memory.
  static let systemInterval = Duration.seconds(30)

  private let interval: Duration
  private let time: any TimeSource
  private let task = Lock<Task<Void, Never>?>(nil)

  init(interval: Duration, time: any TimeSource) {
    self.interval = interval
    self.time = time
  }

  deinit { task.withLock(\.self)?.cancel() }

  /// Sweeps once an interval until nothing is left to wait for.
  func start(_ cache: MemoryCache) {
    // Detached: it outlives the task that stored an image, whose task-local values it would hold.
    let task = Task.detached(priority: .utility) { [weak cache, interval, time] in
      while (try? await time.sleep(for: interval)) != nil {
        guard let cache, cache.sweep() else { return }
      }
    }
    self.task.withLock { $0 = task }
  }
}
