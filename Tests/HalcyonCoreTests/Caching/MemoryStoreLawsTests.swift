import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import HalcyonTesting
import Testing

struct MemoryStoreLawsTests {
  @Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed], [1 << 20, 100 << 20])
  func `the memory cache keeps the laws of a memory tier`(policy: EvictionPolicy, costLimit: Int) throws {
    try MemoryStoreLaws.check {
      MemoryCache(configuration: MemoryCacheConfiguration(costLimit: costLimit, policy: policy))
    }
  }

  @Test(arguments: [512 << 10, 50 << 20]) func `a chain keeps them as well`(costLimit: Int) throws {
    let configuration = MemoryCacheConfiguration(costLimit: costLimit)
    try MemoryStoreLaws.check {
      MemoryChain([MemoryCache(configuration: configuration), MemoryCache(configuration: configuration)])
    }
  }

  @Test func `a lawful memory tier of someone else passes`() throws {
    try MemoryStoreLaws.check { LawlessMemory(fault: nil) }
  }

  @Test(arguments: LawlessMemory.Fault.allCases)
  func `a memory tier that breaks a law is found out`(fault: LawlessMemory.Fault) throws {
    #expect(throws: MemoryStoreLaws.Violation.self) {
      try MemoryStoreLaws.check { LawlessMemory(fault: fault) }
    }
  }
}

/// Breaks one law, or none.
final class LawlessMemory: MemoryStore {
  enum Fault: CaseIterable {
    case foldsCase, keepsFirst, keepsRemoved, keepsAll, servesExpired, deniesWhatItHas
    case claimsToKeep, keepsRefused, keepsTooMuch, evictsLate
  }

  private let fault: Fault?
  private let cache: MemoryCache
  /// What was set and is not heeded yet.
  private let pending = Lock<MemoryCacheConfiguration?>(nil)

  init(fault: Fault?) {
    self.fault = fault
    cache = MemoryCache(
      configuration: MemoryCacheConfiguration(costLimit: fault == .keepsTooMuch ? 2 << 20 : 1 << 20))
  }

  var configuration: MemoryCacheConfiguration {
    get {
      var configuration = pending.withLock { $0 } ?? cache.configuration
      if fault == .keepsTooMuch { configuration.costLimit /= 2 }
      return configuration
    }
    set {
      var configuration = newValue
      if fault == .keepsTooMuch { configuration.costLimit *= 2 }
      if fault == .evictsLate { setLater(configuration) } else { cache.configuration = configuration }
    }
  }

  func image(for key: CacheKey) -> DecodedImage? { cache.image(for: stored(key)) }

  func contains(_ key: CacheKey) -> Bool { fault != .deniesWhatItHas && cache.contains(stored(key)) }

  func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
    if let configuration = pending.withLock({ $0 }) { cache.configuration = configuration }
    let key = stored(key)
    if fault == .keepsFirst, cache.contains(key) { return true }
    if image.byteCount > configuration.costLimit {
      if fault != .keepsRefused { cache.removeImage(for: key) }
      return fault == .claimsToKeep
    }
    return cache.store(image, for: key, expiration: fault == .servesExpired ? .never : expiration)
  }

  func removeImage(for key: CacheKey) {
    if fault != .keepsRemoved { cache.removeImage(for: stored(key)) }
  }

  func removeAll() {
    if fault != .keepsAll { cache.removeAll() }
  }

  private func setLater(_ configuration: MemoryCacheConfiguration) {
    pending.withLock { $0 = configuration }
  }

  private func stored(_ key: CacheKey) -> CacheKey {
    fault == .foldsCase ? CacheKey(key.text.lowercased()) : key
  }
}
