import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import HalcyonTesting
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct MemoryStoreLawsTests {
  @Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed], [1 << 20, 100 << 20])
  func `the memory cache satisfies the memory store laws`(policy: EvictionPolicy, costLimit: Int) throws {
    try MemoryStoreLaws.check {
      MemoryCache(configuration: MemoryCacheConfiguration(costLimit: costLimit, policy: policy))
    }
  }

  @Test func `a custom memory store that satisfies the laws passes`() throws {
    try MemoryStoreLaws.check { FaultyMemoryStore(fault: nil) }
  }

  @Test(arguments: FaultyMemoryStore.Fault.allCases)
  func `a memory store that breaks a law is detected`(fault: FaultyMemoryStore.Fault) throws {
    #expect(throws: MemoryStoreLaws.Violation.self) {
      try MemoryStoreLaws.check { FaultyMemoryStore(fault: fault) }
    }
  }
}

/// A memory store that breaks one law, or none.
final class FaultyMemoryStore: MemoryStore {
  enum Fault: CaseIterable {
    case foldsCase, ignoresReplacement, ignoresRemoveImage, ignoresRemoveAll, servesExpired, reportsPresentAsMissing
    case reportsRejectedAsStored, keepsOldAfterRejection, exceedsLimit, evictsLate
  }

  private let fault: Fault?
  private let cache: MemoryCache
  /// A configuration that was set and is not applied yet.
  private let pending = Lock<MemoryCacheConfiguration?>(nil)

  init(fault: Fault?) {
    self.fault = fault
    cache = MemoryCache(
      configuration: MemoryCacheConfiguration(costLimit: fault == .exceedsLimit ? 2 << 20 : 1 << 20))
  }

  var configuration: MemoryCacheConfiguration {
    get {
      var configuration = pending.withLock { $0 } ?? cache.configuration
      if fault == .exceedsLimit { configuration.costLimit /= 2 }
      return configuration
    }
    set {
      var configuration = newValue
      if fault == .exceedsLimit { configuration.costLimit *= 2 }
      if fault == .evictsLate { setLater(configuration) } else { cache.configuration = configuration }
    }
  }

  func image(for key: CacheKey) -> DecodedImage? { cache.image(for: stored(key)) }

  func contains(_ key: CacheKey) -> Bool { fault != .reportsPresentAsMissing && cache.contains(stored(key)) }

  func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
    if let configuration = pending.withLock({ $0 }) { cache.configuration = configuration }
    let key = stored(key)
    if fault == .ignoresReplacement, cache.contains(key) { return true }
    if image.byteCount > configuration.costLimit {
      if fault != .keepsOldAfterRejection { cache.removeImage(for: key) }
      return fault == .reportsRejectedAsStored
    }
    return cache.store(image, for: key, expiration: fault == .servesExpired ? .never : expiration)
  }

  func removeImage(for key: CacheKey) {
    if fault != .ignoresRemoveImage { cache.removeImage(for: stored(key)) }
  }

  func removeAll() {
    if fault != .ignoresRemoveAll { cache.removeAll() }
  }

  private func setLater(_ configuration: MemoryCacheConfiguration) {
    pending.withLock { $0 = configuration }
  }

  private func stored(_ key: CacheKey) -> CacheKey {
    fault == .foldsCase ? CacheKey(key.text.lowercased()) : key
  }
}
