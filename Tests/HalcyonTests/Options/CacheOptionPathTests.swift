import Foundation
import Halcyon
import HalcyonCache
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Options of caches and of their entries, on every path.
@Suite(.integrationTest)
struct CacheOptionPathTests {
  @Test(arguments: LoadPath.affected(by: .cachePolicy))
  func `the cache policy decides on every path whether the server is contacted`(path: LoadPath) async throws {
    let served = try path.served
    try await OptionsFixture.run(serving: served, headers: ["Cache-Control": "max-age=60"]) { fixture async throws in
      func load(_ freshness: CachePolicy) async throws -> Int {
        _ = try await path.load(path.request(fixture) { $0.cachePolicy = freshness }, with: fixture.pipeline)
        await fixture.pipeline.cache.flush()
        return fixture.transport.requests.count
      }
      let error = await #expect(throws: ImageError.self) { try await load(.cacheOnly) }
      #expect(error?.description.contains("does not allow the network") == true)
      #expect(fixture.transport.requests.isEmpty)
      #expect(try await load(.standard) == 1)
      #expect(try await load(.standard) == 1)
      #expect(try await load(.reload) == 2)
      #expect(try await load(.revalidate) == 3)
      fixture.clock.advance(by: .seconds(100))
      #expect(try await load(.cacheFirst) == 3)
      #expect(try await load(.cacheOnly) == 3)
    }
  }

  @Test(arguments: LoadPath.affected(by: .memoryAccess, .storeAccess), OptionsLevel.allCases)
  func `the access options select the tiers on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let served = try path.served
    let accesses: [(memory: CacheAccess, store: CacheAccess)] = [
      (.readWrite, .readWrite), (.readWrite, .disabled), (.disabled, .readWrite), (.readWrite, .writeOnly),
      (.disabled, .disabled), (.writeOnly, .readOnly), (.readOnly, .readWrite),
    ]
    for access in accesses {
      let options = level.options { ($0.memoryAccess, $0.storeAccess) = access }
      let writesMemory = [.readWrite, .writeOnly].contains(access.memory)
      let writesStore = [.readWrite, .writeOnly].contains(access.store)
      try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
        let request = path.request(fixture) { $0 = options.request }
        if path == .prefetchToStore, !writesStore {
          let error = await #expect(throws: ImageError.self) { try await path.load(request, with: fixture.pipeline) }
          #expect(error?.description.contains("cannot be stored") == true)
          return
        }
        _ = try await path.load(request, with: fixture.pipeline)
        #expect(try await fixture.entries.count == (writesStore ? path.entryCount : 0))
        #expect(fixture.memory.count == (writesMemory && LoadPath.decoding.contains(path) ? 1 : 0))
        fixture.memory.removeAll()
        _ = try await path.load(request, with: fixture.pipeline)
        #expect(fixture.transport.requests.count == (access.store == .readWrite ? 1 : 2))
      }
    }
  }

  @Test(arguments: LoadPath.affected(by: .usesETags), OptionsLevel.allCases)
  func `usesETags decides on every path whether an ETag is sent`(path: LoadPath, level: OptionsLevel) async throws {
    let served = try path.served
    for usesETags in [nil, false] {
      let options = level.options { $0.usesETags = usesETags }
      try await OptionsFixture.run(serving: served, headers: ["ETag": "\"1\""], options: options.pipeline) {
        fixture async throws in
        for freshness in [CachePolicy.standard, .revalidate] {
          var request = path.request(fixture) { $0 = options.request }
          request.cachePolicy = freshness
          _ = try await path.load(request, with: fixture.pipeline)
          await fixture.pipeline.cache.flush()
        }
        #expect(
          fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, usesETags == nil ? "\"1\"" : nil])
      }
    }
  }

  @Test(arguments: LoadPath.affected(by: .cache), OptionsLevel.allCases)
  func `another cache takes the place of the pipeline's on every path`(path: LoadPath, level: OptionsLevel)
    async throws
  {
    let (served, other) = (try path.served, ImageCache(store: MemoryDataStore()))
    let options = level.options { $0.cache = other }
    try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
      for _ in 0..<2 {
        _ = try await path.load(path.request(fixture) { $0 = options.request }, with: fixture.pipeline)
        await other.flush()
        #expect((other.memory as? MemoryCache)?.count == (LoadPath.decoding.contains(path) ? 1 : 0))
        #expect((other.store as? MemoryDataStore)?.count == path.entryCount)
        #expect(fixture.memory.count == 0)
        #expect(try await fixture.entries.isEmpty)
        // The second load is served from the other store.
        other.memory.removeAll()
      }
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test(arguments: LoadPath.affected(by: .waitsForStore) + [.prefetchToStore], OptionsLevel.allCases)
  func `waitsForStore completes after all writes on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let (store, gate, events, served) = (MemoryDataStore(), Gate(), EventLog<String>(), try path.served)
    let held = ImageCache(store: HeldStore(base: store, gate: gate))
    let options = level.options { ($0.waitsForStore, $0.cache) = (true, held) }
    try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
      let executor = IdleExecutor()
      let load = Task(executorPreference: executor) {
        _ = try await path.load(path.request(fixture) { $0 = options.request }, with: fixture.pipeline)
        events.record("loaded with \(store.count)")
      }
      try await gate.waitUntilHolding(path.entryCount)
      // Other loads complete meanwhile, as this one would if it did not wait.
      for number in 0..<5 {
        var other = ImageRequest(url: fixture.url.appending(path: "\(number)"))
        (other.waitsForStore, other.storeAccess) = (false, .readOnly)
        _ = try await (path == .prefetchToStore ? .image : path).load(other, with: fixture.pipeline)
      }
      try await executor.waitUntilIdle()
      #expect(events.events == [])
      gate.open()
      try await load.value
      #expect(events.events == ["loaded with \(path.entryCount)"])
    }
  }

  @Test(arguments: LoadPath.affected(by: .memoryExpiration), OptionsLevel.allCases)
  func `images expire in memory as the options say on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let served = try path.served
    let cases: [(CacheExpiration, Int, Bool)] = [
      (.after(.seconds(10), since: .storing), 3, true), (.after(.seconds(10), since: .storing), 5, false),
      (.after(.seconds(10)), 5, true),
    ]
    for (expiration, seconds, isKept) in cases {
      let options = level.options { $0.memoryExpiration = expiration }
      try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
        let request = path.request(fixture) { $0 = options.request }
        _ = try await path.load(request, with: fixture.pipeline)
        fixture.clock.advance(by: .seconds(6))
        _ = try await path.load(request, with: fixture.pipeline)
        fixture.clock.advance(by: .seconds(seconds))
        #expect(fixture.memory.contains(fixture.pipeline.cacheKey(for: request)) == isKept, "\(expiration)")
        #expect(fixture.transport.requests.count == 1)
      }
    }
  }

  @Test(arguments: LoadPath.affected(by: .tags, .isPinned, .storeExpiration), [true, false])
  func `tags, pins and expirations reach new and stored entries on every path`(path: LoadPath, isStored: Bool)
    async throws
  {
    try await OptionsFixture.run(serving: path.served) { fixture async throws in
      if isStored {
        _ = try await path.load(path.request(fixture), with: fixture.pipeline)
        await fixture.pipeline.cache.flush()
      }
      let request = path.request(fixture) { ($0.tags, $0.isPinned, $0.storeExpiration) = (["a", "b"], true, .never) }
      _ = try await path.load(request, with: fixture.pipeline)
      try await expectOptions(fixture, path)
    }
  }

  @Test(arguments: LoadPath.affected(by: .tags, .isPinned, .storeExpiration))
  func `tags, pins and expirations of the pipeline's default options apply on every path`(path: LoadPath) async throws {
    var options = RequestOptions()
    (options.tags, options.isPinned, options.storeExpiration) = (["a", "b"], true, .never)
    try await OptionsFixture.run(serving: path.served, options: options) { fixture async throws in
      _ = try await path.load(path.request(fixture), with: fixture.pipeline)
      try await expectOptions(fixture, path)
    }
  }

  private func expectOptions(_ fixture: OptionsFixture, _ path: LoadPath) async throws {
    let entries = try await fixture.entries
    #expect(entries.count == path.entryCount)
    for entry in entries {
      #expect(entry.metadata.tags == ["a", "b"])
      #expect(entry.metadata.expiration == .never)
      #expect(entry.isPinned)
    }
    #expect(fixture.transport.requests.count == 1)
  }

  @Test(arguments: LoadPath.affected(by: .storeExpiration), OptionsLevel.allCases)
  func `entries expire in the store as the options say on every path`(
    path: LoadPath, level: OptionsLevel
  ) async throws {
    let served = try path.served
    let cases: [(CacheExpiration, Int, Int)] = [
      (.days(7, since: .storing), 4, 2), (.days(7, since: .storing), 2, 1), (.days(7), 4, 1), (.days(7), 8, 2),
    ]
    for (expiration, days, requestCount) in cases {
      let options = level.options { options in
        (options.memoryAccess, options.cachePolicy) = (.disabled, .cacheFirst)
        options.storeExpiration = expiration
      }
      try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
        var request = path.request(fixture) { $0 = options.request }
        if path.hasVariant { request.storage = .encoded(as: .png, quality: 1, keepsOriginal: false) }
        for days in [4, days, 0] {
          _ = try await path.load(request, with: fixture.pipeline)
          await fixture.pipeline.cache.flush()
          fixture.clock.advance(by: .seconds(days * 86_400))
        }
        #expect(fixture.transport.requests.count == requestCount, "\(expiration)")
      }
    }
  }
}
