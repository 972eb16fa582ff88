public import HalcyonSupport
public import HalcyonImaging
import Foundation

/// Decoded images in memory.
///
/// Safe from any thread. Every operation is amortized O(1), except a change of the configuration and the removal of
/// many images. A hit locks one of 64 shards, so readers rarely contend; images are freed without locks held.
///
/// The memory of evicted images is reused for new ones. When the system
/// is short of memory, images are evicted, see ``MemoryCacheConfiguration/emptiesUnderPressure``.
///
/// Expired images are not served. They are removed within half a minute, when they are looked up, or by
/// ``ImageCache/clean()``; with another time source than ``SystemTime``, only by the last two.
///
/// ```swift
/// let cache = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 100 << 20))
/// cache.store(image, for: "avatar", expiration: .after(.seconds(600)))
/// let avatar = cache.image(for: "avatar")
/// ```
public final class MemoryCache: MemoryStore {
  private let shards: CacheShards
  private let index: Lock<EvictionIndex>
  private let time: any TimeSource
  private let isSystemTime: Bool
  private let systemUptime = CoarseClock()
  private let pool: PixelPool
  /// Removes expired images; `nil` with a time source of the caller.
  let sweeper: MemorySweeper?
  package let removals = RemovalHistory()
  private let pressure = Lock<Subscription?>(nil)
  /// Reports evictions.
  package let evictionObservers = EvictionObservers(tier: .memory)

  /// Creates an empty cache.
  public convenience init(
    configuration: MemoryCacheConfiguration = MemoryCacheConfiguration(), time: any TimeSource = SystemTime()
  ) {
    self.init(configuration: configuration, time: time, pool: .shared)
  }

  /// - Parameter sweepInterval: How often expired images are removed. Default: `nil`, which is
  ///   ``MemorySweeper/systemInterval`` with the system's clocks, and never with others.
  init(
    configuration: MemoryCacheConfiguration, time: any TimeSource, pool: PixelPool, sweepInterval: Duration? = nil,
    pressure: MemoryPressureMonitor = .system
  ) {
    self.time = time
    self.pool = pool
    let isSystemTime = time is SystemTime
    self.isSystemTime = isSystemTime
    let interval = sweepInterval ?? (isSystemTime ? MemorySweeper.systemInterval : nil)
    sweeper = interval.map { MemorySweeper(interval: $0, time: time) }
    shards = CacheShards()
    index = Lock(EvictionIndex(configuration: configuration, shards: shards))
    pool.changeLimit(from: 0, to: configuration.reuseByteLimit)
    let subscription = pressure.observe { [weak self] in self?.trim(for: $0) }
    self.pressure.withLock { $0 = subscription }
  }

  deinit { pool.changeLimit(from: configuration.reuseByteLimit, to: 0) }

  /// The limits in effect. A lower limit evicts before the setter returns.
  public var configuration: MemoryCacheConfiguration {
    get { index.withLock { $0.configuration } }
    set {
      let old = update { index, discarded in
        defer { index.configure(newValue, discarded: &discarded) }
        return index.configuration.reuseByteLimit
      }
      pool.changeLimit(from: old, to: newValue.reuseByteLimit)
    }
  }

  /// The bytes of pixels of all images.
  package var totalCost: Int { index.withLock { $0.totalCost } }

  /// The number of images.
  package var count: Int { index.withLock { $0.count } }

  /// The image stored under `key`, or `nil` if there is none or it is expired.
  ///
  /// Reading counts as use.
  public func image(for key: CacheKey) -> DecodedImage? { lookUp(key).value }

  /// The image stored under `key`, or the reason for the miss. Reading counts as use.
  package func lookUp(_ key: CacheKey) -> CacheResult<DecodedImage> {
    var use = MemoryUse(writeCount: nil)
    return lookUp(key, use: &use)
  }

  /// - Parameter use: Set if the read counts as a use of stored entries.
  @inline(__always)
  func lookUp(_ key: CacheKey, use: inout MemoryUse) -> CacheResult<DecodedImage> {
    var miss = CacheMiss.absent
    let image = read(key, at: Timestamp(uptime: uptime()), use: &use, miss: &miss)
    return image.map { .hit($0) } ?? .miss(miss)
  }

  /// Whether an image that is not expired is stored under `key`.
  ///
  /// Does not count as use.
  public func contains(_ key: CacheKey) -> Bool {
    let now = now()
    return shards.withShard(of: key.digest) { $0.contains(key, at: now) }
  }

  /// Stores an image under `key`, replacing an older one.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - key: The key to find it by.
  ///   - expiration: When the image stops being served. Default: `nil`, the expiration of the configuration.
  /// - Returns: Whether the image was stored. It is not if it is already expired, or if it costs more than
  ///   ``MemoryCacheConfiguration/costLimit`` minus the memory kept for new images; an older image under
  ///   `key` is removed all the same.
  @discardableResult
  public func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration? = nil) -> Bool {
    let now = now()
    return update { index, discarded in
      let lifetime = Lifetime(expiration ?? index.configuration.expiration)
      let deadline = Deadline(lifetime, from: now.uptime)
      let entry = CacheEntry(key: key, image: image, lifetime: lifetime, deadline: deadline)
      return index.admit(entry, at: now, discarded: &discarded)
    }
  }

  /// Removes the image stored under `key`. A load in flight delivers its image, but does not store it here.
  public func removeImage(for key: CacheKey) {
    removals.record(key)
    update { $0.remove(key, discarded: &$1) }
  }

  /// Removes all images of a source. Loads in flight deliver their images, but do not store them here.
  ///
  /// Takes time proportional to the number of all images.
  public func removeImages(ofSource source: String) {
    removals.record(source: source)
    removeReplaced(ofSource: source)
  }

  /// Removes all images of a source, which is no removal for loads in flight: they store what they make of the new one.
  func removeReplaced(ofSource source: String) {
    let keys = shards.map { $0.keys { $0.isOf(source: source) } }.flatMap(\.self)
    guard !keys.isEmpty else { return }
    update { index, discarded in
      for key in keys { index.remove(key, discarded: &discarded) }
    }
  }

  /// Removes all images, and frees the memory kept for reuse. Loads in flight deliver their images, but do not store them
  /// here.
  public func removeAll() {
    removals.recordAll()
    update { $0.removeAll(discarded: &$1) }
    pool.drain()
  }

  /// Removes expired images. O(n) for n images.
  ///
  /// - Returns: The number and bytes of the removed images.
  @discardableResult
  package func removeExpired() -> CleaningReport.Removal {
    let now = now()
    return update { index, discarded in
      index.removeExpired(at: now, discarded: &discarded)
      return CleaningReport.Removal(count: discarded.count, byteCount: discarded.reduce(0) { $0 + $1.byteCount })
    }
  }

  /// Removes expired images, called by the sweeper.
  ///
  /// - Returns: Whether an image is left that can expire. If not, sweeping stops until one is stored.
  func sweep() -> Bool {
    let now = now()
    return update { index, discarded in
      index.removeExpired(at: now, discarded: &discarded)
      index.isSweeping = index.canExpire
      return index.canExpire
    }
  }

  /// Evicts images until at most `costLimit` bytes are left, and frees the memory kept for reuse.
  ///
  /// The configured limit does not change.
  package func trim(to costLimit: Int) {
    update { $0.trim(to: costLimit, discarded: &$1) }
    pool.drain()
  }

  /// Evicts images until at most `countLimit` are left, and frees the memory kept for reuse.
  ///
  /// The configured limit does not change.
  package func trim(toCount countLimit: Int) {
    update { $0.trim(toCount: countLimit, discarded: &$1) }
    pool.drain()
  }

  /// All images that are not expired, in no particular order. O(n); does not count as use.
  public var entries: [MemoryCacheEntry] {
    let now = now()
    return shards.map { $0.entries(at: now) }.flatMap(\.self)
  }

  /// Counters since the creation of the cache.
  public var statistics: CacheStatistics {
    var statistics = CacheStatistics()
    index.withLock { index in
      (statistics.stores, statistics.rejections) = (index.stores, index.rejections)
      statistics.evictions = index.evictions.since()
    }
    let counts = shards.map(\.counts)
    statistics.hits = counts.reduce(0) { $0 + $1.hits }
    statistics.savedByteCount = counts.reduce(0) { $0 + $1.savedByteCount }
    statistics.hitsInUse = counts.reduce(0) { $0 + $1.inUse }
    let misses = [
      CacheMiss.absent: counts.reduce(0) { $0 + $1.absent }, .expired: counts.reduce(0) { $0 + $1.expired },
    ]
    statistics.misses = misses.filter { $0.value > 0 }
    return statistics
  }

  @inline(__always)
  private func read(
    _ key: CacheKey, at now: Timestamp, use: inout MemoryUse, miss: inout CacheMiss
  ) -> DecodedImage? {
    var deferred = CacheShard.DeferredAction.none
    let image = shards.withShard(of: key.digest) { $0.read(key, at: now, use: &use, deferred: &deferred) }
    switch deferred {
    case .none:
      return image
    case .reportRead(let node):
      recordRead(node)
      return image
    case .removeExpired:
      removeIfExpired(key)
      miss = .expired
      return nil
    case .readWithDate:
      return readWithDate(key, use: &use, miss: &miss)
    case .readWeak:
      let image = weakImage(for: key, miss: &miss)
      use.isDue = image != nil
      return image
    }
  }

  @inline(never)
  private func readWithDate(_ key: CacheKey, use: inout MemoryUse, miss: inout CacheMiss) -> DecodedImage? {
    read(key, at: now(), use: &use, miss: &miss)
  }

  private func now() -> Timestamp {
    Timestamp(uptime: uptime(), date: time.now())
  }

  @inline(__always)
  private func uptime() -> Int64 {
    isSystemTime ? systemUptime.nanoseconds() : time.uptime().clampedNanoseconds
  }

  /// Runs `body` under the lock of the index. Afterwards, without the lock, frees discarded images, starts the sweeper
  /// if needed and notifies the observers.
  private func update<Result>(_ body: (inout EvictionIndex, inout [DecodedImage]) -> Result) -> Result {
    var discarded: [DecodedImage] = []
    defer { withExtendedLifetime(discarded) {} }
    let (result, old, new, startsSweeping) = index.withLock { index in
      let old = index.evictions
      let result = body(&index, &discarded)
      return (result, old, index.evictions, sweeper == nil ? false : index.startSweeping())
    }
    if startsSweeping { sweeper?.start(self) }
    guard evictionObservers.hasObservers else { return result }
    for (reason, count) in new.since(old) { evictionObservers.notify(count: count, reason) }
    return result
  }

  @inline(never)
  private func recordRead(_ node: Int) {
    update { index, _ in index.recordRead(node) }
  }

  private func removeIfExpired(_ key: CacheKey) {
    let now = now()
    update { $0.removeIfExpired(key, at: now, discarded: &$1) }
  }

  @inline(never)
  private func weakImage(for key: CacheKey, miss: inout CacheMiss) -> DecodedImage? {
    let now = now()
    let entry = shards.withShard(of: key.digest) { $0.readWeak(key, at: now, miss: &miss) }
    guard let entry else { return nil }
    update { $0.readmit(entry, at: now, discarded: &$1) }
    return entry.image
  }
}
