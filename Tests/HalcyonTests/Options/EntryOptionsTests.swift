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
