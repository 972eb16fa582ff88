import HalcyonSupport

/// The background work of a disk cache, which is not retained between its steps: flushes accesses within 5 seconds, and
/// cleans as the policy says. `DiskIndex.clean` decides what is removed.
final class DiskMaintenance: Sendable {
  /// The time until accesses are flushed, and the shortest interval of cleanings.
  private static let flushDelay = Duration.seconds(5)

  private let isStarted = Atomic(false)
  private let cleaning = Lock<Task<Void, Never>?>(nil)
  private let flush = Lock<Task<Void, Never>?>(nil)

  /// Starts cleaning; idempotent. It ends when the cache is released.
  func start(_ cache: DiskCache) {
    guard !isStarted.load(), !isStarted.exchange(true) else { return }
    let time = cache.time
    let task = Task { [weak cache] in
      await cache?.clean(at: .firstUse)
      while let interval = cache?.configuration.cleaning.interval,
        (try? await time.sleep(for: max(interval, Self.flushDelay))) != nil, let cache
      {
        await cache.flushAccesses()
        await cache.clean(at: .timer)
      }
    }
    cleaning.withLock { $0 = task }
  }

  /// Flushes the accesses of the next seconds together, unless a flush is awaited already.
  func flushSoon(_ cache: DiskCache) {
    flush.withLock { flush in
      guard flush == nil else { return }
      flush = Task { [weak cache, weak self, time = cache.time] in
        _ = try? await time.sleep(for: Self.flushDelay)
        self?.flush.withLock { $0 = nil }
        await cache?.flushAccesses()
      }
    }
  }

  deinit {
    cleaning.withLock(\.self)?.cancel()
    flush.withLock(\.self)?.cancel()
  }
}

extension DiskCache {
  /// How long a program that ends waits for a cleaning; systems kill one that takes some seconds.
  private static let terminationTime = Duration.seconds(1)

  /// Cleans now as the policy says, regardless of its ``CleaningPolicy/occasions``.
  ///
  /// Recovers the unfinished writes of killed processes, wipes the cache if it was idle for too long, removes expired
  /// entries, and evicts down to the size limit.
  ///
  /// - Returns: The number and size of removed entries, by reason.
  @discardableResult
  public func clean() async throws -> CleaningReport {
    try await withWriter { writer in try await writer.clean(context) }
  }

  /// Writes the order of recent reads to disk, cleans if the policy includes this occasion, and releases all locks.
  ///
  /// Call it when the app enters the background. iOS terminates an app (with the code 0xdead10cc) that is suspended while
  /// it holds a lock on a file in a container that it shares with extensions. Until ``willEnterForeground()`` each write
  /// acquires the locks and releases them, which makes it slower; otherwise they are released after two seconds without use.
  public func willEnterBackground() async {
    await flushAccesses()
    await clean(at: .background)
    await writer.didEnterBackground()
  }

  /// Keeps the locks between writes again; see ``willEnterBackground()``. Idempotent.
  public func willEnterForeground() async { await writer.willEnterForeground() }

  /// Writes the order of recent reads to disk before it returns, and cleans if the policy includes this occasion.
  ///
  /// Call it when the app is about to terminate. Blocks for milliseconds, for up to a second if there is much to clean, of
  /// which the next cleaning does the rest, and for up to a second more while another process rebuilds the index.
  public func willTerminate() {
    let end = time.uptime() + Self.terminationTime
    flushAccessesNow()
    guard cleans(at: .termination) else { return }
    do { try writer.cleanNow(context) { time.uptime() >= end } } catch { counters.countError() }
    counters.notifyObservers()
  }

  /// Cleans if the policy includes this occasion and there is a cache; a failure is counted.
  fileprivate func clean(at occasion: CleaningPolicy.Occasion) async {
    guard cleans(at: occasion) else { return }
    let context = context
    await countingErrors { _ = try await writer.clean(context) }
  }

  /// Without a cache there is nothing to clean, and a folder that was deleted would be created again.
  private func cleans(at occasion: CleaningPolicy.Occasion) -> Bool {
    configuration.cleaning.occasions.contains(occasion) && (try? fileSystem.status(of: layout.index)) != nil
  }
}
