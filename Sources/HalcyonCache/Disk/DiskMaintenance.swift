import HalcyonSupport
import Synchronization

/// What a disk cache does without being asked, as long as it lives: it writes down what was read, settles what dead
/// writers left, and cleans by its policy.
final class DiskMaintenance: Sendable {
  private static let interval = Duration.seconds(5)
  private static let recoveryInterval = Duration.seconds(60)

  private let isStarted = Atomic(false)
  private let task = Lock<Task<Void, Never>?>(nil)

  /// Starts with the first call; ends with the cache, which the work does not keep alive while it waits.
  func start(_ cache: DiskCache) {
    guard !isStarted.load(ordering: .relaxed), !isStarted.exchange(true, ordering: .relaxed) else { return }
    let time = cache.time
    let task = Task { [weak cache] in
      var (recovered, cleaned) = (time.uptime(), time.uptime())
      await cache?.clean(at: .firstUse)
      while (try? await time.sleep(for: Self.interval)) != nil, let cache {
        await cache.flushTouches()
        let now = time.uptime()
        if now - cleaned >= cache.configuration.cleaning.interval {
          (recovered, cleaned) = (now, now)
          await cache.clean(at: .timer)
        } else if now - recovered >= Self.recoveryInterval {
          recovered = now
          await cache.attempt { try await cache.writer.recover() }
        }
      }
    }
    self.task.withLock { $0 = task }
  }

  deinit {
    task.withLock(\.self)?.cancel()
  }
}

extension DiskCache {
  /// Cleans now as the policy has it, whatever its occasions: settles what dead writers left, wipes what lay idle for too
  /// long, removes what has expired, and evicts what is over the limit.
  ///
  /// - Returns: What was removed.
  @discardableResult
  public func clean() async throws -> CleaningReport {
    try await changing { writer in try await writer.clean(on: terms) }
  }

  /// Writes down what was read lately, and cleans where the policy has it. An app calls this when it leaves the screen.
  public func willEnterBackground() async {
    await flushTouches()
    await clean(at: .background)
  }

  /// Writes down what was read lately before it returns, and cleans where the policy has it. An app calls this when it is
  /// about to end; it takes milliseconds, or up to two seconds when another process is writing.
  public func willTerminate() {
    flushTouchesNow()
    guard configuration.cleaning.occasions.contains(.termination) else { return }
    do { try writer.cleanNow(on: terms) } catch { counters.countError() }
    counters.tell()
  }

  /// Cleans where the policy has this occasion. Nobody waits for it; failures are counted.
  func clean(at occasion: CleaningPolicy.Occasion) async {
    guard configuration.cleaning.occasions.contains(occasion) else { return }
    let terms = terms
    await attempt { _ = try await writer.clean(on: terms) }
  }
}
