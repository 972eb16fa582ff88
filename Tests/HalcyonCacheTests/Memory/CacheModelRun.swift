import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonSupport
import HalcyonImaging
@_spi(Programs) import HalcyonCache
import Foundation
import HalcyonTesting

/// A memory cache and a model of the images that it may return.
struct CacheModelRun {
  private struct Entry {
    var version: Int
    var cost: Int
    var expiration: CacheExpiration
    /// When the entry expires, computed from `expiration` at its last use.
    var deadline: CacheExpiration
    /// Whether it was expired at some time, so that it may have been removed for good.
    var mayHaveExpired = false
  }

  private static let keys = (0..<60).map { CacheKey("image \($0)") }

  private let clock = TestClock()
  private let cache: MemoryCache
  private let images: [DecodedImage]
  private var entries: [CacheKey: Entry] = [:]
  private var generator = SplitMix(state: 9)

  init(policy: EvictionPolicy, findsImagesInUse: Bool) throws {
    cache = MemoryCache(
      configuration: MemoryCacheConfiguration(
        costLimit: 800, countLimit: 30, policy: policy, findsImagesInUse: findsImagesInUse),
      time: clock)
    // All images are retained for the whole run, and thus in use.
    images = try (1...40).map { try solidImage($0, 1) }
  }

  /// Runs a random operation. Returns what was wrong about it, or `nil`.
  mutating func step(_ number: Int) -> String? {
    let key = Self.keys[pick(Self.keys.count)]
    let problem =
      switch pick(100) {
      case 0..<40: read(key)
      case 40..<75: store(key, version: number)
      case 75..<80: checkPresence(of: key)
      case 80..<84: remove(key)
      case 84..<92: advanceClock()
      case 92..<94: setDate()
      case 94..<97: removeExpired()
      case 97: changeLimits()
      case 98: trim()
      default: pick(50) == 0 ? removeAll() : nil
      }
    return problem ?? limitProblem()
  }

  private mutating func read(_ key: CacheKey) -> String? {
    let image = cache.image(for: key)
    if let problem = problem(with: image?.info.storedSize.width, at: key) { return problem }
    guard image != nil, let entry = entries[key] else { return nil }
    if case .after(_, since: .lastUse) = entry.expiration { setDeadline(entry.expiration, of: key) }
    markExpired()
    return nil
  }

  private func checkPresence(of key: CacheKey) -> String? {
    problem(with: cache.contains(key) ? entries[key]?.version ?? -1 : nil, at: key)
  }

  private mutating func store(_ key: CacheKey, version: Int) -> String? {
    let expiration = randomExpiration()
    let bitmap = images[pick(images.count)].bitmap
    let info = ImageInfo(format: .bmp, storedSize: PixelSize(width: version, height: 1))
    let isStored = cache.store(DecodedImage(bitmap: bitmap, info: info), for: key, expiration: expiration)
    let deadline = deadline(expiration)
    let isExpected = !isPast(deadline) && bitmap.byteCount <= cache.configuration.costLimit
    entries[key] =
      isStored ? Entry(version: version, cost: bitmap.byteCount, expiration: expiration, deadline: deadline) : nil
    return isStored == isExpected && isStored == cache.contains(key)
      ? nil : "stored \(isStored), expected \(isExpected)"
  }

  private mutating func remove(_ key: CacheKey) -> String? {
    cache.removeImage(for: key)
    entries[key] = nil
    return cache.contains(key) ? "\(key) was found after it was removed" : nil
  }

  private mutating func removeAll() -> String? {
    cache.removeAll()
    entries = [:]
    return cache.count == 0 ? nil : "\(cache.count) images after all were removed"
  }

  private mutating func advanceClock() -> String? {
    clock.advance(by: .milliseconds([1, 700, 1000, 30_000, 600_000, 90_000_000][pick(6)]))
    markExpired()
    return nil
  }

  private mutating func setDate() -> String? {
    clock.setDate(clock.now() + [-86_400, -1, 1, 3600, 86_400][pick(5)])
    markExpired()
    return nil
  }

  /// Afterwards cost and count include only images that are found; no expired image is counted.
  private mutating func removeExpired() -> String? {
    cache.removeExpired()
    guard !cache.configuration.findsImagesInUse else { return nil }
    let held = Self.keys.filter(cache.contains)
    let cost = held.reduce(0) { $0 + (entries[$1]?.cost ?? 0) }
    return cache.count == held.count && cache.totalCost == cost
      ? nil : "\(cache.count) images of \(cache.totalCost) bytes, but \(held.count) of \(cost) are found"
  }

  private mutating func changeLimits() -> String? {
    cache.configuration.costLimit = [120, 400, 800, 3000][pick(4)]
    cache.configuration.countLimit = [1, 10, 30, .max][pick(4)]
    return nil
  }

  private mutating func trim() -> String? {
    let costLimit = pick(800)
    cache.trim(to: costLimit)
    return cache.totalCost <= costLimit ? nil : "\(cache.totalCost) bytes after a trim to \(costLimit)"
  }

  private func limitProblem() -> String? {
    let (configuration, cost, count) = (cache.configuration, cache.totalCost, cache.count)
    return cost <= configuration.costLimit && count <= configuration.countLimit
      ? nil : "\(count) images of \(cost) bytes within \(configuration)"
  }

  private func problem(with version: Int?, at key: CacheKey) -> String? {
    guard let version else {
      // Evicted images are found as long as they are retained, which all are.
      guard cache.configuration.findsImagesInUse, let entry = entries[key], !entry.mayHaveExpired else { return nil }
      return "\(key) is lost"
    }
    guard let entry = entries[key] else { return "\(key) was found though it was removed" }
    if isPast(entry.deadline) { return "\(key) was found though it is expired" }
    return entry.version == version ? nil : "\(key) has version \(version), not \(entry.version)"
  }

  private mutating func markExpired() {
    for (key, entry) in entries where isPast(entry.deadline) { entries[key]?.mayHaveExpired = true }
  }

  private mutating func setDeadline(_ expiration: CacheExpiration, of key: CacheKey) {
    let deadline = deadline(expiration)
    entries[key]?.deadline = deadline
  }

  private func deadline(_ expiration: CacheExpiration) -> CacheExpiration {
    if case .after(let duration, since: _) = expiration { return .after(clock.uptime() + duration) }
    return expiration
  }

  private func isPast(_ deadline: CacheExpiration) -> Bool {
    switch deadline {
    case .never: false
    case .expired: true
    case .after(let uptime, since: _): clock.uptime() >= uptime
    case .date(let date): clock.now() >= date
    }
  }

  private mutating func randomExpiration() -> CacheExpiration {
    switch pick(12) {
    case 0: .never
    case 1: .expired
    case 2, 3: .date(clock.now() + Double(pick(4000)) / 10)
    case 4: .days(pick(40))
    case 6: .after(.seconds(pick(900)), since: .storing)
    case 5: .after(.milliseconds(pick(3000)))
    default: .after(.seconds(pick(900)))
    }
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
}
