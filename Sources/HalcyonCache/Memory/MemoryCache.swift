public import HalcyonSupport
public import HalcyonImaging
import Foundation

/// Decoded images in memory.
///
/// Every operation is safe from any thread and takes constant time, averaged over many, save a change of the
/// configuration and the removal of many images. A hit takes a lock that few others share, so readers hardly slow each
/// other down; images are freed when no lock is held.
///
/// The memory of images that left serves new ones, see ``MemoryCacheConfiguration/reuseByteLimit``.
///
/// Expired images leave within seconds while the cache is used, within half a minute while it is not, or by
/// ``removeExpired()``. With other clocks than ``SystemTime`` a cache that is not used keeps them.
public final class MemoryCache: MemoryStore {
  private let shards: CacheShards
  private let ledger: Lock<EvictionIndex>
  private let time: any TimeSource
  private let isSystemTime: Bool
  private let systemUptime = CoarseClock()
  private let pool: PixelPool
  /// Removes what has expired while nobody uses the cache; `nil` where that is left to its use.
  let sweeper: MemorySweeper?
  /// Where images that were let go are told.
  package let evictionObservers = EvictionObservers(tier: .memory)

  /// Creates an empty cache.
  public convenience init(
    configuration: MemoryCacheConfiguration = MemoryCacheConfiguration(), time: any TimeSource = SystemTime()
  ) {
    self.init(configuration: configuration, time: time, pool: .shared)
  }

  /// - Parameter sweepInterval: How often expired images are removed from a cache that nobody uses. Default: `nil`, as
  ///   ``MemorySweeper/systemInterval`` has it where the clocks are the system's, else never.
  init(
    configuration: MemoryCacheConfiguration, time: any TimeSource, pool: PixelPool, sweepInterval: Duration? = nil
  ) {
    self.time = time
    self.pool = pool
    let isSystemTime = time is SystemTime
    self.isSystemTime = isSystemTime
    let interval = sweepInterval ?? (isSystemTime ? MemorySweeper.systemInterval : nil)
    sweeper = interval.map { MemorySweeper(interval: $0, time: time) }
    shards = CacheShards()
    let moment = Timestamp(uptime: time.uptime().clampedNanoseconds, date: time.now())
    ledger = Lock(EvictionIndex(configuration: configuration, shards: shards, at: moment))
    pool.changeLimit(from: 0, to: configuration.reuseByteLimit)
  }

  deinit { pool.changeLimit(from: configuration.reuseByteLimit, to: 0) }

  /// The limits in force. A lower limit evicts before the setter returns.
  public var configuration: MemoryCacheConfiguration {
    get { ledger.withLock { $0.configuration } }
    set {
      let old = change { ledger, leaving in
        defer { ledger.configure(newValue, leaving: &leaving) }
        return ledger.configuration.reuseByteLimit
      }
      pool.changeLimit(from: old, to: newValue.reuseByteLimit)
    }
  }

  /// Bytes of pixels held.
  public var totalCost: Int { ledger.withLock { $0.totalCost } }

  /// Images held.
  public var count: Int { ledger.withLock { $0.count } }

  /// The image stored under a key, unless it is expired.
  public func image(for key: CacheKey) -> DecodedImage? {
    image(for: key, extending: .renewed)
  }

  /// The image stored under a key, unless it is expired, with a say in whether reading extends its life.
  public func image(for key: CacheKey, extending: ExpirationExtension) -> DecodedImage? {
    lookUp(key, extending: extending).value
  }

  /// The image stored under a key, or why there is none, with a say in whether reading extends its life.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension = .renewed) -> CacheResult<DecodedImage> {
    var miss = CacheMiss.absent
    let image = read(key, extending: extending, at: Timestamp(uptime: uptime()), miss: &miss)
    return image.map { .hit($0) } ?? .miss(miss)
  }

  /// Whether the key has an image that is not expired. Asking counts for nothing.
  public func contains(_ key: CacheKey) -> Bool {
    let moment = moment()
    return shards.withShard(of: key.digest) { $0.contains(key, at: moment) }
  }

  /// Keeps an image, unless it is expired already or costs more than the limit without the part for reuse.
  @discardableResult
  public func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration? = nil) -> Bool {
    let moment = moment()
    return change { ledger, leaving in
      let lifetime = Lifetime(expiration ?? ledger.configuration.expiration)
      let deadline = Deadline(lifetime, from: moment.uptime)
      let entry = CacheEntry(key: key, image: image, lifetime: lifetime, deadline: deadline)
      return ledger.admit(entry, at: moment, leaving: &leaving)
    }
  }

  /// Forgets one image.
  public func removeImage(for key: CacheKey) {
    change { $0.remove(key, leaving: &$1) }
  }

  /// Forgets all images, and frees the memory that was kept for new ones.
  public func removeAll() {
    let moment = moment()
    change { $0.removeAll(at: moment, leaving: &$1) }
    pool.drain()
  }

  /// Forgets what is expired; the time that takes grows with their number, not with that of all images.
  ///
  /// - Returns: What was forgotten.
  @discardableResult
  public func removeExpired() -> CleaningReport.Removal {
    let moment = moment()
    return change { ledger, leaving in
      ledger.removeExpired(at: moment, exactly: true, leaving: &leaving)
      return CleaningReport.Removal(count: leaving.count, byteCount: leaving.reduce(0) { $0 + $1.byteCount })
    }
  }

  /// Removes what is expired, for the sweeper.
  ///
  /// - Returns: Whether something is left that can expire. If not, sweeping ends, and begins again with what can.
  func sweep() -> Bool {
    let moment = moment()
    return change { ledger, leaving in
      ledger.removeExpired(at: moment, exactly: true, leaving: &leaving)
      return ledger.goOnSweeping()
    }
  }

  /// Evicts until no more than `costLimit` bytes are held, and frees the memory that was kept for new images. The limit
  /// in force stays what it is.
  public func trim(to costLimit: Int) {
    change { $0.trim(to: costLimit, leaving: &$1) }
    pool.drain()
  }

  /// Gives memory back: half of the bytes held under some pressure, nine tenths under full pressure.
  ///
  /// Images that someone holds are evicted too, but found again; see ``MemoryCacheConfiguration/findsImagesInUse``.
  public func trim(for pressure: MemoryPressure) {
    switch pressure {
    case .some: trim(to: totalCost / 2)
    case .full: trim(to: totalCost / 10)
    }
  }

  /// What the cache holds and has done. Reads that run at the same time may be counted or not.
  public var statistics: MemoryCacheStatistics {
    var statistics = MemoryCacheStatistics()
    ledger.withLock { ledger in
      statistics.totalCost = ledger.totalCost
      statistics.count = ledger.count
      statistics.evictions = ledger.evictions
      statistics.refusals = ledger.refusals
    }
    for counts in shards.map(\.counts) {
      statistics.hits += counts.hits
      statistics.hitsInUse += counts.inUse
      statistics.missesAbsent += counts.absent
      statistics.missesExpired += counts.expired
    }
    return statistics
  }

  @inline(__always)
  private func read(
    _ key: CacheKey, extending: ExpirationExtension, at moment: Timestamp, miss: inout CacheMiss
  ) -> DecodedImage? {
    var followUp = CacheShard.DeferredAction.nothing
    let image = shards.withShard(of: key.digest) {
      $0.read(key, extending: extending, at: moment, followUp: &followUp)
    }
    switch followUp {
    case .nothing:
      return image
    case .report(let node):
      noteRead(node)
      return image
    case .removal:
      removeIfExpired(key)
      miss = .expired
      return nil
    case .searchInUse:
      return imageInUse(for: key, extending: extending, miss: &miss)
    case .date:
      return readWithDate(key, extending: extending, miss: &miss)
    }
  }

  @inline(never)
  private func readWithDate(
    _ key: CacheKey, extending: ExpirationExtension, miss: inout CacheMiss
  ) -> DecodedImage? {
    read(key, extending: extending, at: moment(), miss: &miss)
  }

  private func moment() -> Timestamp {
    Timestamp(uptime: uptime(), date: time.now())
  }

  @inline(__always)
  private func uptime() -> Int64 {
    isSystemTime ? systemUptime.nanoseconds() : time.uptime().clampedNanoseconds
  }

  /// Runs `body` under the lock of the ledger, and frees what leaves after it; has what can expire swept, and tells
  /// what was let go to those who listen.
  private func change<Result>(_ body: (inout EvictionIndex, inout [DecodedImage]) -> Result) -> Result {
    var leaving: [DecodedImage] = []
    defer { withExtendedLifetime(leaving) {} }
    let (result, old, new, beginsSweeping) = ledger.withLock { ledger in
      let old = ledger.evictions
      let result = body(&ledger, &leaving)
      return (result, old, ledger.evictions, sweeper == nil ? false : ledger.beginSweeping())
    }
    if beginsSweeping { sweeper?.start(self) }
    guard evictionObservers.hasObservers else { return result }
    evictionObservers.notify(count: new.byCost - old.byCost, .size)
    evictionObservers.notify(count: new.byCount - old.byCount, .count)
    evictionObservers.notify(count: new.byExpiration - old.byExpiration, .expiration)
    evictionObservers.notify(count: new.byPressure - old.byPressure, .pressure)
    return result
  }

  @inline(never)
  private func noteRead(_ node: Int) {
    let moment = moment()
    change { $0.noteRead(node, at: moment, leaving: &$1) }
  }

  private func removeIfExpired(_ key: CacheKey) {
    let moment = moment()
    change { $0.removeIfExpired(key, at: moment, leaving: &$1) }
  }

  @inline(never)
  private func imageInUse(
    for key: CacheKey, extending: ExpirationExtension, miss: inout CacheMiss
  ) -> DecodedImage? {
    let moment = moment()
    let entry = shards.withShard(of: key.digest) {
      $0.readInUse(key, extending: extending, at: moment, miss: &miss)
    }
    guard let entry else { return nil }
    change { $0.readmit(entry, at: moment, leaving: &$1) }
    return entry.image
  }
}
