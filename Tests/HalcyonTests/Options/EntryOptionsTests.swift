import Foundation
import Halcyon
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Expiration, tags and pins of entries.
@Suite(.integrationTest)
struct EntryOptionsTests {
  private let image: Data

  init() throws { image = try TestImage.png() }

  @Test func `a listed entry shows its expiration, tags, pin, and when it was stored, before and after a read`()
    async throws
  {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request { options in
        (options.tags, options.isPinned, options.storeExpiration) = (["trip"], true, .after(.seconds(3600)))
        options.memoryAccess = .disabled
      }
      let start = fixture.clock.now().timeIntervalSince1970.rounded()
      _ = try await fixture.pipeline.image(for: request)
      await fixture.pipeline.cache.flush()
      for (seconds, reads, isExpired) in [(0, false, false), (600, true, false), (3600, false, true)] {
        fixture.clock.advance(by: .seconds(seconds))
        if reads { #expect(try await fixture.origin(request) == .store) }
        var count = 0
        for try await entry in fixture.disk.entries {
          count += 1
          #expect(entry.metadata.tags == ["trip"])
          #expect(entry.isPinned)
          #expect(entry.storedDate.timeIntervalSince1970.rounded() == start)
          let lastUse = seconds == 0 ? start : start + 600
          #expect(entry.expirationDate?.timeIntervalSince1970.rounded() == lastUse + 3600)
          #expect(entry.isExpired == isExpired)
        }
        #expect(count == 1)
      }
    }
  }

  @Test func `reading from disk extends the expiration as the request says, also after it is persisted`() async throws {
    let cases: [(CacheExpiration, Int, ImageOrigin)] = [
      (.days(7, since: .storing), 5, .network), (.days(7), 5, .store), (.days(7), 8, .network), (.never, 9000, .store),
    ]
    for isPersisted in [false, true] {
      for (expiration, days, origin) in cases {
        try await OptionsFixture.run(serving: image) { fixture async throws in
          let request = fixture.request { options in
            (options.memoryAccess, options.cachePolicy) = (.disabled, .cacheFirst)
            options.storeExpiration = expiration
          }
          _ = try await fixture.pipeline.image(for: request)
          fixture.clock.advance(by: .seconds(4 * 86_400))
          #expect(try await fixture.origin(request) == .store)
          // Counting writes pending accesses to the index.
          if isPersisted { #expect(try await fixture.disk.count == 1) }
          fixture.clock.advance(by: .seconds(days * 86_400))
          if isPersisted { try await fixture.disk.removeExpired() }
          #expect(try await fixture.origin(request) == origin, "\(expiration) \(days) \(isPersisted)")
        }
      }
    }
  }

  @Test func `an entry that is read gets the expiration of the request`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      func request(_ expiration: CacheExpiration) -> ImageRequest {
        fixture.request { options in
          (options.memoryAccess, options.cachePolicy) = (.disabled, .cacheFirst)
          options.storeExpiration = expiration
        }
      }
      _ = try await fixture.pipeline.image(for: request(.days(7)))
      #expect(try await fixture.origin(request(.days(90))) == .store)
      #expect(try await fixture.disk.count == 1)
      fixture.clock.advance(by: .seconds(80 * 86_400))
      #expect(try await fixture.origin(request(.days(7))) == .store)
      fixture.clock.advance(by: .seconds(8 * 86_400))
      #expect(try await fixture.origin(request(.days(7))) == .network)
    }
  }

  /// The tags, expirations and pins of all entries on disk, after all pending writes are complete.
  private func entries(_ fixture: OptionsFixture) async throws -> [DiskCacheEntry] {
    await fixture.pipeline.cache.flush()
    var entries: [DiskCacheEntry] = []
    for try await entry in fixture.disk.entries { entries.append(entry) }
    return entries
  }

  @Test func `tags, pins and expirations of the second of two concurrent requests are added`() async throws {
    let (gate, image) = (Gate(), image)
    try await OptionsFixture.run { _ in
      try await gate.wait()
      return .response(body: image)
    } body: { fixture async throws in
      let first = fixture.pipeline.task(for: fixture.request { $0.tags = ["first"] })
      let second = fixture.pipeline.task(
        for: fixture.request { ($0.tags, $0.isPinned, $0.storeExpiration) = (["second"], true, .never) })
      while fixture.transport.requests.isEmpty { try await Task.yieldUnlessCancelled() }
      gate.open()
      _ = try await (first.image, second.image)
      #expect(fixture.transport.requests.count == 1)
      let entries = try await entries(fixture)
      #expect(entries.map { Set($0.metadata.tags) } == [["first", "second"]])
      #expect(entries.map(\.isPinned) == [true])
    }
  }

  @Test func `tags reach the stored variants of a response and the stored processed image`() async throws {
    let image = image
    try await OptionsFixture.run(serving: image, headers: ["Vary": "Accept", "Cache-Control": "max-age=600"]) {
      fixture async throws in
      func request(_ accept: String, _ tag: String) -> ImageRequest {
        var request = fixture.request(size: .fit(width: 8, height: 8)) { ($0.tags, $0.storage) = ([tag], .photo) }
        request.headers["Accept"] = accept
        return request
      }
      for accept in ["a", "b"] { _ = try await fixture.pipeline.image(for: request(accept, "old")) }
      _ = try await fixture.pipeline.image(for: request("a", "new"))
      let tags = try await entries(fixture).map(\.metadata.tags)
      #expect(tags.filter { $0 == ["old", "new"] }.count == 2, "the original and the processed image")
      #expect(tags.filter { $0 == ["old"] }.count == 2)
    }
  }

  @Test func `a request without options or without access to the store changes no entry`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      _ = try await fixture.pipeline.image(for: fixture.request { $0.tags = ["first"] })
      _ = try await fixture.pipeline.image(for: fixture.request())
      _ = try await fixture.pipeline.image(for: fixture.request { ($0.tags, $0.storeAccess) = (["no"], .disabled) })
      #expect(try await entries(fixture).map(\.metadata.tags) == [["first"]])
    }
  }

  @Test func `prefetching to the store adds tags to an entry that is there`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      _ = try await fixture.pipeline.image(for: fixture.request())
      await fixture.pipeline.cache.flush()
      let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .store)
      let result = await prefetcher.start([fixture.request { $0.tags = ["ahead"] }]).result
      #expect(result.failed.isEmpty)
      #expect(try await entries(fixture).map(\.metadata.tags) == [["ahead"]])
    }
  }

  @Test func `an image that is stored has the expirations of its request`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request { ($0.memoryExpiration, $0.storeExpiration) = (.after(.seconds(3600)), .days(30)) }
      let decoded = try await fixture.pipeline.image(for: ImageRequest(source: .data(image)))
      try await fixture.pipeline.store(decoded, original: image, for: request)
      #expect(try await entries(fixture).map(\.metadata.expiration) == [.days(30)])
      fixture.clock.advance(by: .seconds(3601))
      #expect(fixture.pipeline[cached: request] == nil)
      #expect(await fixture.pipeline.cachedTier(for: request) == .store)
    }
  }
}
