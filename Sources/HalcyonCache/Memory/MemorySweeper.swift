import HalcyonSupport

/// Removes expired images from a memory cache, periodically as long as it holds images that can expire.
///
/// The cache starts it. It references the cache weakly while it sleeps, and ends with it.
final class MemorySweeper: Sendable {
  /// The interval with the system's clocks. Expired images are not served meanwhile, they only occupy memory.
  static let systemInterval = Duration.seconds(30)

  private let interval: Duration
  private let time: any TimeSource
  private let task = Lock<Task<Void, Never>?>(nil)

  init(interval: Duration, time: any TimeSource) {
    self.interval = interval
    self.time = time
  }

  deinit { task.withLock(\.self)?.cancel() }

  /// Sweeps `cache` once per interval until it holds no image that can expire.
  func start(_ cache: MemoryCache) {
    // Detached, so that it does not retain the task-local values of the task that stored an image.
    let task = Task.detached(priority: .utility) { [weak cache, interval, time] in
      while (try? await time.sleep(for: interval)) != nil {
        guard let cache, cache.sweep() else { return }
      }
    }
    self.task.withLock { $0 = task }
  }
}
