import HalcyonImaging
import HalcyonSupport
import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct CleaningPolicyTests {
  private let clock = TestClock()

  private func entry(_ expiration: CacheExpiration = .never) -> StoredEntry {
    StoredEntry(
      body: Data(count: 100),
      metadata: EntryMetadata(requestDate: clock.now(), responseDate: clock.now(), expiration: expiration))
  }

  private func withCache(
    _ policy: CleaningPolicy, sizeLimit: Int = 8 << 20, _ body: (DiskCache) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let configuration = DiskCacheConfiguration(sizeLimit: sizeLimit, cleaning: policy)
      try await body(DiskCache(directory: folder, configuration: configuration, time: clock))
    }
  }

  @Test func `a cleaning reports what it removed and why`() async throws {
    try await withCache(.whenAsked) { cache in
      for number in 0..<3 { try await cache.store(entry(.after(.seconds(60))), for: CacheKey("short \(number)")) }
      for number in 0..<4 { try await cache.store(entry(), for: CacheKey("long \(number)")) }
      let entrySize = try await cache.totalSize / 7
      clock.advance(by: .seconds(61))
      cache.configuration.sizeLimit = 3 * entrySize
      let report = try await cache.clean()
      #expect(
        report.disk == [
          .expiration: CleaningReport.Removal(count: 3, byteCount: 3 * entrySize),
          .size: CleaningReport.Removal(count: 1, byteCount: entrySize),
        ])
      #expect(report.total.count == 4)
      #expect(
        report.description
          == "disk: 1 by size (\(entrySize) bytes), 3 by expiration (\(3 * entrySize) bytes)")
      #expect(cache.lastCleaning == report)
      #expect(try await cache.clean().description == "nothing removed")
    }
  }

  @Test func `each kind of cleaning can be disabled`() async throws {
    var policy = CleaningPolicy.whenAsked
    policy.removesExpired = false
    policy.trimsToSizeLimit = false
    try await withCache(policy) { cache in
      try await cache.store(entry(.after(.seconds(60))), for: "short")
      try await cache.store(entry(), for: "long")
      clock.advance(by: .seconds(61))
      cache.configuration.sizeLimit = 100
      #expect(try await cache.clean().total.count == 0)
      #expect(try await cache.count == 2)
      cache.configuration.cleaning.removesExpired = true
      #expect(try await cache.clean().disk.keys.sorted { $0.rawValue < $1.rawValue } == [.expiration])
      cache.configuration.cleaning.trimsToSizeLimit = true
      #expect(try await cache.clean().disk.keys.sorted { $0.rawValue < $1.rawValue } == [.size])
      #expect(try await cache.count == 0)
    }
  }

  @Test func `a cache used all day is not idle in the evening`() async throws {
    try await TemporaryDirectory.run { folder in
      var policy = CleaningPolicy(wipesAfterIdle: .seconds(86_400))
      policy.occasions = [.background]
      let configuration = DiskCacheConfiguration(cleaning: policy)
      try await DiskCache(directory: folder, configuration: configuration, time: clock).store(entry(), for: "old")
      clock.advance(by: .seconds(3600))
      let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
      for hour in 0..<30 {
        try await cache.store(entry(), for: CacheKey("\(hour)"))
        clock.advance(by: .seconds(3600))
      }
      await cache.willEnterBackground()
      #expect(try await cache.entry(for: "old") != nil)
    }
  }

  @Test(arguments: [(86_400, nil), (86_401, 1)] as [(Int, Int?)])
  func `the first cleaning of a process counts the time since the cache was opened`(
    seconds: Int, count: Int?
  ) async throws {
    var policy = CleaningPolicy.whenAsked
    policy.wipesAfterIdle = .seconds(86_400)
    try await withCache(policy) { cache in
      try await cache.store(entry(), for: "1")
      clock.advance(by: .seconds(seconds))
      #expect(try await cache.clean().disk[.idle]?.count == count)
    }
  }

  @Test func `by default a cache also cleans when the program terminates`() async throws {
    #expect(CleaningPolicy().occasions == Set(CleaningPolicy.Occasion.allCases))
  }

  @Test func `entries without an expiration of their own expire by the current configuration`() async throws {
    try await withCache(.whenAsked) { cache in
      let plain = StoredEntry(
        body: Data(count: 100), metadata: EntryMetadata(requestDate: clock.now(), responseDate: clock.now()))
      try await cache.store(plain, for: "a")
      try await cache.store(entry(.days(30)), for: "own")
      cache.configuration.expiration = .never
      clock.advance(by: .seconds(8 * 86_400))
      try await cache.removeExpired()
      #expect(try await cache.count == 2)
      cache.configuration.expiration = .days(9)
      #expect(try await cache.clean().total.count == 0)
      cache.configuration.expiration = .days(1)
      #expect(try await cache.clean().total.count == 1)
      cache.configuration.expiration = .expired
      try await cache.store(plain, for: "b")
      try await cache.removeExpired()
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "own") != nil)
      cache.configuration.expiration = .date(clock.now() + 60)
      try await cache.store(plain, for: "c")
      #expect(try await cache.clean().total.count == 0)
      clock.advance(by: .seconds(60))
      #expect(try await cache.clean().total.count == 1)
    }
  }

  @Test func `an entry is removed by the expiration that it has been given last`() async throws {
    try await withCache(.whenAsked) { cache in
      try await cache.store(entry(.after(.seconds(60))), for: "longer")
      try await cache.store(entry(), for: "shorter")
      try await cache.updateMetadata(entry().metadata, for: "longer")
      try await cache.updateMetadata(entry(.after(.seconds(30))).metadata, for: "shorter")
      clock.advance(by: .seconds(61))
      #expect(try await cache.clean().disk[.expiration]?.count == 1)
      #expect(try await cache.entry(for: "longer") != nil)
    }
  }

  @Test func `a cache idle for a day is wiped at the next launch, and its entries are reported`() async throws {
    try await TemporaryDirectory.run { folder in
      let configuration = DiskCacheConfiguration(cleaning: CleaningPolicy(wipesAfterIdle: .seconds(86_400)))
      do {
        let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
        for number in 0..<3 { try await cache.store(entry(), for: CacheKey("\(number)")) }
      }
      clock.advance(by: .seconds(86_401))
      let later = DiskCache(directory: folder, configuration: configuration, time: clock)
      #expect(try await later.entry(for: "nothing") == nil)
      while later.lastCleaning == nil { try await Task.yieldUnlessCancelled() }
      #expect(later.lastCleaning?.disk[.idle]?.count == 3)
      #expect(try await later.count == 0)
    }
  }

  @Test func `the timer cleans at its interval, not sooner`() async throws {
    var policy = CleaningPolicy()
    policy.occasions = [.timer]
    policy.interval = .seconds(60)
    try await withCache(policy) { cache in
      try await cache.store(entry(.after(.seconds(10))), for: "1")
      // The timer, and the closing of the index.
      await clock.waitForSleepers(2)
      clock.advance(by: .seconds(59))
      while clock.sleeperCount > 1 { try await Task.yieldUnlessCancelled() }
      #expect(cache.lastCleaning == nil)
      clock.advance(by: .seconds(1))
      await clock.waitForSleepers(2)
      #expect(cache.lastCleaning?.disk[.expiration]?.count == 1)
    }
  }

  @Test func `the timer cleans every five seconds at most`() async throws {
    var policy = CleaningPolicy()
    policy.occasions = [.timer]
    policy.interval = .milliseconds(100)
    try await withCache(policy) { cache in
      try await cache.store(entry(), for: "1")
      // The timer, and the closing of the index.
      await clock.waitForSleepers(2)
      clock.advance(by: .seconds(1))
      #expect(clock.sleeperCount == 2)
      #expect(cache.lastCleaning == nil)
    }
  }

  @Test(arguments: [CleaningPolicy.Occasion.background, .termination])
  func `entering the background or terminating cleans if the policy includes it`(occasion: CleaningPolicy.Occasion)
    async throws
  {
    for isIncluded in [true, false] {
      var policy = CleaningPolicy.whenAsked
      if isIncluded { policy.occasions = [occasion] }
      try await withCache(policy) { cache in
        try await cache.store(entry(.after(.seconds(60))), for: "1")
        clock.advance(by: .seconds(61))
        if occasion == .background { await cache.willEnterBackground() } else { cache.willTerminate() }
        #expect(cache.lastCleaning?.disk[.expiration]?.count == (isIncluded ? 1 : nil))
        #expect(try await cache.count == (isIncluded ? 0 : 1))
        #expect(cache.statistics.errors == 0)
      }
    }
  }

  @Test func `terminating cleans for a second, and leaves the rest to the next start`() async throws {
    try await TemporaryDirectory.run { folder in
      let slow = SlowClock(base: clock)
      let configuration = DiskCacheConfiguration(cleaning: .whenAsked)
      let first = DiskCache(directory: folder, configuration: configuration, time: slow)
      for number in 0..<150 { try await first.store(entry(.after(.seconds(60))), for: CacheKey("\(number)")) }
      clock.advance(by: .seconds(61))
      first.configuration.cleaning.occasions = [.termination]
      slow.step = .milliseconds(10)
      first.willTerminate()
      slow.step = .zero
      let removed = try #require(first.lastCleaning?.disk[.expiration]?.count)
      #expect((50...100).contains(removed), "each removal takes 10 ms")
      #expect(first.statistics.errors == 0)
      let next = DiskCache(directory: folder, configuration: configuration, time: clock)
      #expect(try await next.count == 150 - removed)
      #expect(try await next.clean().disk[.expiration]?.count == 150 - removed)
    }
  }

  @Test func `cleaning reads no image`() async throws {
    try await withCache(.whenAsked) { cache in
      try await cache.store(entry(.after(.seconds(60))), for: "short")
      try await cache.store(entry(), for: "long")
      // Reading these files would report damaged entries.
      let files = FileManager.default.enumerator(at: cache.directory, includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.path().contains("/d/") && !file.hasDirectoryPath {
        try Data("not an entry".utf8).write(to: file)
      }
      clock.advance(by: .seconds(61))
      #expect(try await cache.clean().disk[.expiration]?.count == 1)
      #expect(try await cache.count == 1)
    }
  }

  @Test func `one report covers both tiers`() async throws {
    try await withCache(.whenAsked) { disk in
      let cache = ImageCache(memory: MemoryCache(time: clock), store: disk)
      let image = try solidImage()
      cache.memory.store(image, for: "1", expiration: .after(.seconds(60)))
      cache.memory.store(image, for: "2", expiration: .never)
      try await disk.store(entry(.after(.seconds(60))), for: "1")
      clock.advance(by: .seconds(61))
      let report = try await cache.clean()
      #expect(report.memory == [.expiration: CleaningReport.Removal(count: 1, byteCount: image.byteCount)])
      #expect(report.disk[.expiration]?.count == 1)
      #expect(report.total.count == 2)
    }
  }
}

/// A clock on which some time passes whenever it is read.
private final class SlowClock: TimeSource {
  private let base: TestClock
  private let state = Lock((step: Duration.zero, passed: Duration.zero))

  init(base: TestClock) { self.base = base }

  var step: Duration {
    get { state.withLock { $0.step } }
    set { state.withLock { $0.step = newValue } }
  }

  func now() -> Date { base.now() }

  func uptime() -> Duration {
    state.withLock { state in
      state.passed += state.step
      return base.uptime() + state.passed
    }
  }

  func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
