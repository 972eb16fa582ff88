import Synchronization

/// What a disk cache does without being asked: it cleans when it is first used and then now and then.
final class DiskUpkeep: Sendable {
  private static let interval = Duration.seconds(5)
  /// In intervals: half done entries of dead writers are settled every minute, all cleaning is done every ten.
  private static let (recovering, cleaning) = (12, 120)

  private let isStarted = Atomic(false)
  private let task = Lock<Task<Void, Never>?>(nil)

  /// Starts with the first call; ends with the cache, which the work does not keep alive while it waits.
  func start(_ cache: DiskCache) {
    guard !isStarted.load(ordering: .relaxed), !isStarted.exchange(true, ordering: .relaxed) else { return }
    let task = Task { [weak cache] in
      await cache?.tidy(isThorough: true)
      for round in 1... {
        guard (try? await Task.sleep(for: Self.interval, tolerance: .seconds(1))) != nil, let cache else { return }
        await cache.flushTouches()
        if round.isMultiple(of: Self.recovering) {
          await cache.tidy(isThorough: round.isMultiple(of: Self.cleaning))
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
  /// Cleans now, as it also happens on its own: settles what dead writers left, wipes what lay idle for too long,
  /// removes what has expired, and evicts what is over the limit.
  public func clean() async throws {
    try await changing { writer in try await writer.clean(on: terms) }
  }

  /// Writes down what was read lately, and cleans. An app calls this when it leaves the screen.
  public func willEnterBackground() async {
    await flushTouches()
    await tidy(isThorough: true)
  }

  /// Writes down what was read lately before it returns. An app calls this when it is about to end; it takes
  /// milliseconds, or up to two seconds when another process is writing.
  public func willTerminate() {
    flushTouchesNow()
  }

  /// Work that nobody waits for; failures are counted.
  func tidy(isThorough: Bool) async {
    let terms = terms
    await attempt {
      if isThorough { try await writer.clean(on: terms) } else { try await writer.recover() }
    }
  }
}
