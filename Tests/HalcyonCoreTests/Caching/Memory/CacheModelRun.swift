import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import Foundation
import HalcyonTesting

/// A cache beside a model of what it may answer.
struct CacheModelRun {
  private struct Entry {
    var version: Int
    var cost: Int
    var expiration: CacheExpiration
    /// What `expiration` came to when the entry was last used.
    var deadline: CacheExpiration
    /// Whether its time was over at some moment, so that it may have left for good.
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
    // All are held for the whole run, and thus in use.
    images = try (1...40).map { try solidImage($0, 1) }
  }

  /// Does one thing at random, and returns what was wrong about it.
  mutating func step(_ number: Int) -> String? {
    let key = Self.keys[pick(Self.keys.count)]
    let problem =
      switch pick(100) {
      case 0..<40: read(key)
      case 40..<75: store(key, version: number)
      case 75..<80: asked(key)
      case 80..<84: remove(key)
      case 84..<92: passTime()
      case 92..<94: setDate()
      case 94..<97: removeExpired()
      case 97: changeLimits()
      case 98: trim()
      default: pick(50) == 0 ? removeAll() : nil
      }
    return problem ?? limitProblem()
  }

  private mutating func read(_ key: CacheKey) -> String? {
    let extending: ExpirationExtension = [.renewed, .renewed, .unchanged, .to(randomExpiration())][pick(4)]
    let image = cache.image(for: key, extending: extending)
    if let problem = problem(with: image?.info.storedSize.width, at: key) { return problem }
    guard image != nil, let entry = entries[key] else { return nil }
    switch extending {
    case .unchanged: break
    case .renewed: setDeadline(entry.expiration, of: key)
    case .to(let expiration): setDeadline(expiration, of: key)
    }
    noteExpired()
    return nil
  }

  private func asked(_ key: CacheKey) -> String? {
    problem(with: cache.contains(key) ? entries[key]?.version ?? -1 : nil, at: key)
  }

  private mutating func store(_ key: CacheKey, version: Int) -> String? {
    let expiration = randomExpiration()
    let bitmap = images[pick(images.count)].bitmap
    let info = ImageInfo(format: .bmp, storedSize: PixelSize(width: version, height: 1))
    let isKept = cache.store(DecodedImage(bitmap: bitmap, info: info), for: key, expiration: expiration)
    let deadline = deadline(expiration)
    let isWanted = !isPast(deadline) && bitmap.byteCount <= cache.configuration.costLimit
    entries[key] =
      isKept ? Entry(version: version, cost: bitmap.byteCount, expiration: expiration, deadline: deadline) : nil
    return isKept == isWanted && isKept == cache.contains(key) ? nil : "stored \(isKept), wanted \(isWanted)"
  }

  private mutating func remove(_ key: CacheKey) -> String? {
    cache.removeImage(for: key)
    entries[key] = nil
    return cache.contains(key) ? "still there after it was removed" : nil
  }

  private mutating func removeAll() -> String? {
    cache.removeAll()
    entries = [:]
    return cache.count == 0 ? nil : "still \(cache.count) after all were removed"
  }

  private mutating func passTime() -> String? {
    clock.advance(by: .milliseconds([1, 700, 1000, 30_000, 600_000, 90_000_000][pick(6)]))
    noteExpired()
    return nil
  }

  private mutating func setDate() -> String? {
    clock.setDate(clock.now() + [-86_400, -1, 1, 3600, 86_400][pick(5)])
    noteExpired()
    return nil
  }

  /// Afterwards nothing expired takes room, and cost and count are those of what is there.
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
      // Evicted images are found as long as they are held, which all are.
      guard cache.configuration.findsImagesInUse, let entry = entries[key], !entry.mayHaveExpired else { return nil }
      return "\(key) is lost"
    }
    guard let entry = entries[key] else { return "\(key) was found though it was removed" }
    if isPast(entry.deadline) { return "\(key) was found though it is expired" }
    return entry.version == version ? nil : "\(key) has version \(version), not \(entry.version)"
  }

  private mutating func noteExpired() {
    for (key, entry) in entries where isPast(entry.deadline) { entries[key]?.mayHaveExpired = true }
  }

  private mutating func setDeadline(_ expiration: CacheExpiration, of key: CacheKey) {
    let deadline = deadline(expiration)
    entries[key]?.deadline = deadline
  }

  private func deadline(_ expiration: CacheExpiration) -> CacheExpiration {
    if case .after(let duration) = expiration { return .after(clock.uptime() + duration) }
    return expiration
  }

  private func isPast(_ deadline: CacheExpiration) -> Bool {
    switch deadline {
    case .never: false
    case .expired: true
    case .after(let uptime): clock.uptime() >= uptime
    case .date(let date): clock.now() >= date
    }
  }

  private mutating func randomExpiration() -> CacheExpiration {
    switch pick(12) {
    case 0: .never
    case 1: .expired
    case 2, 3: .date(clock.now() + Double(pick(4000)) / 10)
    case 4: .days(pick(40))
    case 5: .after(.milliseconds(pick(3000)))
    default: .seconds(pick(900))
    }
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
}
