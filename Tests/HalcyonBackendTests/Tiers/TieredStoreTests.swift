import HalcyonTestDoubles
import Foundation
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// Stores made of tiers, some of which fail.
@Suite(.integrationTest)
struct TieredStoreTests {
  private let near = MemoryDataStore()
  private let middle = FaultyTier()
  private let far = FaultyTier()
  private let clock = TestClock()

  private func entry(_ text: String = "a") -> StoredEntry {
    StoredEntry(
      body: Data(text.utf8), metadata: EntryMetadata(requestDate: receivedDate, responseDate: receivedDate))
  }

  private func store(_ budget: Duration = .milliseconds(50)) -> TieredStore {
    TieredStore(
      [
        TieredStore.Tier(name: "near", store: near), TieredStore.Tier(name: "middle", store: middle, budget: budget),
        TieredStore.Tier(name: "far", store: far, budget: budget, changeBudget: budget * 10),
      ], time: clock)
  }

  @Test(arguments: [[], [1], [2], [1, 2]])
  func `tiers satisfy the data store laws, also while some of them fail`(failing: [Int]) async throws {
    try await DataStoreLaws.check {
      let tiers = (0..<3).map { number in
        let tier = FaultyTier()
        if failing.contains(number) { tier.fault = .failure }
        return TieredStore.Tier(name: "\(number)", store: tier, budget: number == 0 ? nil : .seconds(60))
      }
      return IgnoringRemovalErrors(base: TieredStore(tiers, time: clock))
    }
  }

  @Test func `an entry is found in the first tier that has it, and copied to those before`() async throws {
    try await far.base.store(entry(), for: "1")
    let store = store()
    #expect(try await store.entry(for: "1") == entry())
    #expect(near.keys == ["1"] && middle.base.keys == ["1"])
    #expect(try await store.entry(for: "1") == entry())
    #expect(try await store.entry(for: "2") == nil)
    #expect(store.statistics.map(\.hits) == [1, 0, 1] && store.statistics.map(\.misses) == [2, 2, 1])
    #expect(store.statistics.map(\.copies) == [1, 1, 0])
    #expect("\(store.statistics[0])".contains("1 of 3 reads hit, 1 stored"))
  }

  @Test func `a new entry, its metadata and its removal reach all tiers`() async throws {
    let store = store()
    try await store.store(entry(), for: "1")
    #expect([near, middle.base, far.base].allSatisfy { $0.keys == ["1"] })
    var metadata = entry().metadata
    metadata.tags = ["changed"]
    #expect(try await store.updateMetadata(metadata, for: "1"))
    for tier in [near, middle.base, far.base] { #expect(try await tier.metadata(for: "1") == metadata) }
    try await store.removeEntry(for: "1")
    #expect([near, middle.base, far.base].allSatisfy { $0.count == 0 })
  }

  @Test func `a tier that hangs costs its budget a few times, and then nothing until it is back`() async throws {
    let store = store()
    try await far.base.store(entry(), for: "1")
    middle.fault = .hang
    for _ in 1...3 {
      async let found = store.entry(for: "1")
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(50))
      #expect(try await found == entry())
      try await near.removeAll()
    }
    #expect(store.statistics[1].isSkipped && store.statistics[1].timeouts == 3)
    for _ in 1...10 {
      #expect(try await store.entry(for: "1") == entry())
      try await near.removeAll()
    }
    #expect(middle.callCount == 3 && store.statistics[1].skips == 10)
    middle.fault = nil
    clock.advance(by: .seconds(1))
    #expect(try await store.entry(for: "1") == entry())
    #expect(!store.statistics[1].isSkipped && store.statistics[1].opens == 1)
    withExtendedLifetime(middle) {}
  }

  @Test func `a change has a budget of its own`() async throws {
    let store = store()
    far.fault = .hang
    async let stored: Void = store.store(entry(), for: "1")
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(499))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(1))
    try await stored
    #expect(store.statistics[2].timeouts == 1)
    withExtendedLifetime(far) {}
  }

  @Test func `an error of a tier is a miss of that tier, and thrown only if all fail`() async throws {
    let store = store()
    middle.fault = .failure
    far.fault = .failure
    #expect(try await store.entry(for: "1") == nil)
    try await store.store(entry(), for: "1")
    #expect(try await store.entry(for: "1") == entry())
    let broken = TieredStore([TieredStore.Tier(name: "only", store: middle, budget: .seconds(1))], time: clock)
    await #expect(throws: FaultyTier.Failure.self) { try await broken.entry(for: "1") }
    await #expect(throws: FaultyTier.Failure.self) { try await broken.store(entry(), for: "1") }
  }

  @Test func `an entry that was replaced or removed while a tier failed does not come back from it`() async throws {
    let store = store()
    for key in ["1", "2", "3"] as [CacheKey] { try await store.store(entry("old"), for: key) }
    far.fault = .failure
    try await store.store(entry("new"), for: "1")
    await #expect(throws: (any Error).self) { try await store.removeEntry(for: "2") }
    #expect(try await store.updateMetadata(entry().metadata, for: "3"))
    far.fault = nil
    for tier in [near, middle.base] { try await tier.removeAll() }
    clock.advance(by: .seconds(100))
    #expect(try await store.entry(for: "2") == nil)
    #expect(try await store.entry(for: "1") == nil)
    #expect(try await store.entry(for: "3") == nil)
    #expect(far.base.count == 0)
    try await store.store(entry("newest"), for: "1")
    #expect(try await far.base.entry(for: "1") == entry("newest"))
  }

  @Test func `a purge reaches every tier, and one that it does not reach is not read for the source`() async throws {
    let store = store()
    let key: CacheKey = "|url=3:a:b|size=1:1"
    try await store.store(entry(), for: key)
    far.fault = .failure
    await #expect(throws: (any Error).self) { try await store.removeEntries(ofSource: "a:b") }
    #expect(middle.base.count == 0)
    #expect(far.base.count == 1)
    far.fault = nil
    let purging = TieredStore([TieredStore.Tier(name: "middle", store: middle)], time: clock)
    #expect(try await purging.removeEntries(ofSource: "a:b") == 0)
    await #expect(throws: TieredStoreError.purgeUnsupported(tier: "near")) {
      try await store.removeEntries(ofSource: "a:b")
    }
    #expect(far.base.count == 0)
  }

  @Test func `a tier that has missed a purge is purged when it works again, and then read`() async throws {
    let store = store()
    let key: CacheKey = "|url=3:a:b|size=1:1"
    try await store.store(entry("old"), for: key)
    far.fault = .failure
    await #expect(throws: (any Error).self) { try await store.removeEntries(ofSource: "a:b") }
    far.fault = nil
    clock.advance(by: .seconds(100))
    try await near.removeAll()
    #expect(try await store.entry(for: key) == nil)
    #expect(far.base.count == 0)
    try await store.store(entry("new"), for: key)
    for tier in [near, middle.base] { try await tier.removeAll() }
    #expect(try await store.entry(for: key) == entry("new"))
  }

  @Test func `a purge counts the entries of all tiers`() async throws {
    let store = TieredStore(
      [TieredStore.Tier(name: "middle", store: middle), TieredStore.Tier(name: "far", store: far)], time: clock)
    for number in 1...2 { try await store.store(entry(), for: key(number)) }
    #expect(try await store.removeEntries(ofSource: "https://a.example/1.jpg") == 4)
  }

  @Test func `the error of a removal is that of the nearest tier that failed, after all were tried`() async throws {
    let store = store()
    try await store.store(entry(), for: "1")
    (middle.fault, far.fault) = (.notStorable, .failure)
    await #expect(throws: S3StoreError.metadataTooLarge) { try await store.removeEntry(for: "1") }
    #expect(near.count == 0)
  }

  @Test func `once everything is removed, a tier has missed nothing and is read again`() async throws {
    let store = store()
    let key: CacheKey = "|url=3:a:b|size=1:1"
    far.fault = .failure
    for _ in 1...2 { try await store.store(entry("old"), for: key) }
    await #expect(throws: (any Error).self) { try await store.removeEntries(ofSource: "a:b") }
    #expect(store.statistics[2].isSkipped)
    far.fault = nil
    try await store.removeAll()
    clock.advance(by: .seconds(1))
    // By another process.
    try await far.base.store(entry("new"), for: key)
    #expect(try await store.entry(for: key) == entry("new"))
  }

  @Test func `a tier is skipped after as many failures, and for as long, as it says`() async throws {
    var tier = TieredStore.Tier(name: "far", store: far, budget: .seconds(60))
    (tier.failureLimit, tier.retryInterval) = (1, .seconds(5))
    let store = TieredStore([TieredStore.Tier(name: "near", store: near), tier], time: clock)
    far.fault = .failure
    for (seconds, callCount) in [(0, 1), (4, 1), (1, 2)] {
      clock.advance(by: .seconds(seconds))
      #expect(try await store.entry(for: "1") == nil)
      #expect(far.callCount == callCount)
    }
  }

  @Test(arguments: [
    (DiskCacheError.entryTooLarge(byteCount: 9, sizeLimit: 1), false),
    (.insufficientSpace(byteCount: 9, sizeLimit: 1), false), (.metadataTooLarge(byteCount: 9, limit: 1), false),
    (.busy(path: "/a"), true), (.index(reason: "a"), true),
  ])
  func `a disk cache is skipped after faults of the disk, and not after entries that it does not take`(
    error: DiskCacheError, isFault: Bool
  ) async throws {
    let disk = TieredStore.Tier(name: "disk", store: FailingStore(error: error), budget: .seconds(60))
    let store = TieredStore([TieredStore.Tier(name: "near", store: near), disk], time: clock)
    for number in 1...3 { try await store.store(entry(), for: CacheKey("\(number)")) }
    #expect(store.statistics[1].isSkipped == isFault)
    #expect(store.statistics[1].errors == (isFault ? 3 : 0))
  }

  @Test func `an entry is pinned in the tiers that have it, and an error is thrown only if none has`() async throws {
    let pinning = PinningStore()
    try await pinning.store(entry(), for: "1")
    let store = TieredStore(
      [
        TieredStore.Tier(name: "failing", store: PinningStore(fails: true)),
        TieredStore.Tier(name: "pinning", store: pinning),
      ], time: clock)
    #expect(try await store.setPinned(true, for: "1"))
    await #expect(throws: FaultyTier.Failure.self) { try await store.setPinned(true, for: "2") }
  }

  @Test func `an entry that is removed while it is copied is gone`() async throws {
    let store = store(.seconds(1000))
    try await far.base.store(entry(), for: "1")
    let gate = Gate()
    middle.storeGate = gate
    async let found = store.entry(for: "1")
    try await gate.waitUntilHolding()
    try await store.removeEntry(for: "1")
    gate.open()
    #expect(try await found == entry())
    #expect(near.count == 0)
    #expect(middle.base.count == 0)
    #expect(far.base.count == 0)
  }

  @Test func `a cancelled read ends at once, and is no failure of the tier`() async throws {
    let store = store()
    middle.fault = .hang
    let read = Task { try await store.entry(for: "1") }
    await clock.waitForSleepers()
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    #expect(store.statistics[1].errors == 0)
  }

  @Test func `calls that are not sent are no reads, stores, failures or trials of a tier`() async throws {
    let store = store(.milliseconds(50))
    far.storesEvens = true
    far.fault = .failure
    // Other keys between the failures do not close the breaker.
    for number in 1...3 {
      _ = try await store.entry(for: CacheKey("\(2 * number)"))
      _ = try await store.entry(for: CacheKey("\(2 * number + 1)"))
    }
    #expect(store.statistics[2].isSkipped && store.statistics[2].errors == 3 && far.callCount == 3)
    #expect(store.statistics[2].misses == 0)
    try await store.store(entry(), for: "1")
    try await store.removeEntry(for: "1")
    #expect(store.statistics[2].skips == 0 && store.statistics[2].stores == 0)
    far.fault = nil
    clock.advance(by: .seconds(1))
    // Neither is the trial.
    try await store.store(entry(), for: "1")
    #expect(try await store.entry(for: "3") == nil)
    #expect(store.statistics[2].isSkipped)
    #expect(far.callCount == 3)
    far.fault = .notStorable
    await #expect(throws: (any Error).self) {
      try await TieredStore([TieredStore.Tier(name: "far", store: far)]).store(entry(), for: "2")
    }
    _ = try await store.entry(for: "2")
    #expect(store.statistics[2].isSkipped)
    far.fault = nil
    #expect(try await store.entry(for: "4") == nil)
    #expect(!store.statistics[2].isSkipped, "the call that was not sent has left the trial to this one")
  }

  @Test func `an entry that a tier leaves out is not counted as stored`() async throws {
    let store = store()
    far.isFull = true
    try await store.store(entry(), for: "2")
    #expect(store.statistics.map(\.stores) == [1, 1, 0] && store.statistics[2].errors == 0)
    let reading = TieredStore([
      TieredStore.Tier(name: "far", store: far), TieredStore.Tier(name: "middle", store: middle),
    ])
    #expect(try await reading.entry(for: "2") == entry())
    #expect(reading.statistics[0].copies == 0)
  }

  @Test func `misses of damaged entries and of those of other versions are counted`() async throws {
    let store = store()
    for miss in [CacheMiss.damaged, .otherFormat, .otherFormat, .absent] {
      far.miss = miss
      _ = try await store.entry(for: "2")
    }
    let statistics = store.statistics[2]
    #expect(statistics.misses == 4)
    #expect(statistics.damaged == 1)
    #expect(statistics.otherFormats == 2)
  }

  @Test func `the reason of a miss is that of the first tier, unless another one has the beginning of the entry`()
    async throws
  {
    let store = TieredStore([
      TieredStore.Tier(name: "far", store: far), TieredStore.Tier(name: "middle", store: middle),
    ])
    far.miss = .expired
    #expect(try await store.lookUp("2").miss == .expired)
    middle.miss = .partial
    #expect(try await store.lookUp("2").miss == .partial)
    (far.miss, middle.miss) = (.partial, .absent)
    #expect(try await store.lookUp("2").miss == .partial)
  }

  @Test func `a tier that begins to fail, and one that works again, is reported once each`() async throws {
    let changes = EventLog<TierHealthChange>()
    let store = TieredStore(
      [
        TieredStore.Tier(name: "near", store: near),
        TieredStore.Tier(name: "far", store: far, budget: .seconds(60)),
      ], time: clock, onHealthChange: { changes.record($0) })
    for _ in 1...2 {
      far.fault = .failure
      _ = try await store.entry(for: "2")
      _ = try await store.entry(for: "2")
      far.fault = nil
      _ = try await store.entry(for: "2")
    }
    #expect(changes.events.isEmpty, "single failures are not reported")
    far.fault = .failure
    for _ in 1...10 {
      _ = try await store.entry(for: "2")
      try await store.store(entry(), for: "4")
      clock.advance(by: .seconds(100))
    }
    #expect(changes.events.map(\.isFailing) == [true])
    let change = try #require(changes.events.first)
    #expect(change.tier == "far")
    #expect(change.error is FaultyTier.Failure)
    far.fault = nil
    for _ in 1...3 {
      clock.advance(by: .seconds(100))
      _ = try await store.entry(for: "6")
      try await store.store(entry(), for: "6")
    }
    #expect(changes.events.map(\.isFailing) == [true, false])
  }

  @Test func `a tier whose changes alone fail is reported, also without a budget`() async throws {
    let changes = EventLog<TierHealthChange>()
    let store = TieredStore(
      [TieredStore.Tier(name: "near", store: near), TieredStore.Tier(name: "far", store: far)], time: clock,
      onHealthChange: { changes.record($0) })
    far.fault = .changeFailure
    for number in 1...5 {
      try await store.store(entry(), for: CacheKey("\(2 * number)"))
      try await near.removeAll()
      _ = try await store.entry(for: CacheKey("\(2 * number + 100)"))
    }
    #expect(changes.events.map(\.isFailing) == [true])
    far.fault = nil
    for number in 1...2 { try await store.store(entry(), for: CacheKey("\(2 * number)")) }
    #expect(changes.events.map(\.isFailing) == [true, false])
  }

  @Test func `disk caches behind tiers are those of the image cache`() async throws {
    try await TemporaryDirectory.run { folder in
      let disk = DiskCache(directory: folder)
      let store = TieredStore([TieredStore.Tier(name: "disk", store: disk), TieredStore.Tier(name: "far", store: far)])
      #expect(ImageCache(store: store).disk === disk)
    }
  }
}

/// Removals report the tiers that they did not reach, which the laws take for a failure.
private struct IgnoringRemovalErrors: PassingStore {
  let base: TieredStore

  func removeEntry(for key: CacheKey) async throws { try? await base.removeEntry(for: key) }
  func removeAll() async throws { try? await base.removeAll() }
}
