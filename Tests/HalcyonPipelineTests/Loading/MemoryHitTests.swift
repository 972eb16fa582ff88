import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

@testable import HalcyonPipeline

/// Images that are found in memory.
@Suite(.unitTest)
struct MemoryHitTests {
  @Test func `the options for the store of a request whose image is in memory reach the stored entry`() async throws {
    let fixture = PipelineFixture.serving()
    let request = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    let key = try #require(fixture.store.keys.first)
    var tagged = request
    (tagged.options.tags, tagged.options.storeExpiration) = (["trip"], .days(3))
    #expect(try await fixture.pipeline.response(for: tagged).origin == .memory)
    await fixture.pipeline.cache.flush()
    let metadata = try #require(try await fixture.store.entry(for: key)).metadata
    #expect(metadata.tags == ["trip"] && metadata.expiration == .days(3))
    // The first frame of an animation in memory is an image in memory as well.
    tagged.options.animation = .firstFrame
    tagged.options.tags = ["frame"]
    #expect(fixture.pipeline[cached: tagged] != nil)
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.store.entry(for: key)?.metadata.tags == ["trip", "frame"])
  }

  @Test(arguments: [(CachePolicy.standard, CacheMiss.stale), (.revalidate, .notRead)])
  func `an image in memory for which the server is asked is reported as stale, or as not read`(
    policy: CachePolicy, miss: CacheMiss
  ) async throws {
    let misses = EventLog<CacheMiss>()
    let fixture = PipelineFixture {
      $0.eventHandler = { if case .memoryMiss(let miss) = $0.kind { misses.record(miss) } }
    } script: { _ in
      .response(body: SolidImage(width: 8, height: 8).data, headers: ["Cache-Control": "max-age=0"])
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url) { $0.cachePolicy = policy })
    #expect(misses.events == [.absent, miss])
  }

  @Test func `an image in use that must not be stored is shown and kept as the request allows`() async throws {
    let fixture = PipelineFixture { _ in
      .response(body: SolidImage(width: 8, height: 8).data, headers: ["Cache-Control": "no-store"])
    }
    let shown = try await fixture.pipeline.image(for: fixture.url)
    for (access, policy, isShown, keptCount) in [
      (CacheAccess.readOnly, CachePolicy.standard, true, 0), (.writeOnly, .standard, false, 1),
      (.readWrite, .reload, false, 1), (.readWrite, .standard, true, 1),
    ] {
      let request = ImageRequest(url: fixture.url) { ($0.memoryAccess, $0.cachePolicy) = (access, policy) }
      #expect(fixture.pipeline.lookUpMemory(for: request).isHit == isShown, "\(access) \(policy)")
      fixture.pipeline.viewWillRelease(request)
      #expect(fixture.memory.count == keptCount, "\(access) \(policy)")
    }
    withExtendedLifetime(shown) {}
  }

  @Test(arguments: [0, 100]) func `of images that were put into memory meanwhile only a fresh one is used`(
    seconds: Int
  ) async throws {
    let fixture = PipelineFixture { _ in
      .response(body: SolidImage(width: 8, height: 8).data, headers: ["Cache-Control": "max-age=\(seconds)"])
    }
    let request = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.image(for: request)
    let lookup = fixture.pipeline.loader.lookUpAgain(request, RequestKeys(request).image)
    #expect(lookup?.isHit == (seconds > 0))
  }

  @Test func `a request that is repeated after a 304 for another response is not conditional`() async throws {
    let headers: HTTPHeaders = [
      "ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Cache-Control": "max-age=0",
    ]
    let body = SolidImage(width: 8, height: 8).data
    let fixture = PipelineFixture.replying(
      .response(body: body, headers: headers), .response(status: 304, body: Data(), headers: ["ETag": "\"2\""]),
      .response(body: SolidImage(width: 9, height: 8).data, headers: headers))
    let request = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.pipeline.image(for: request).size.width == 9)
    let fields = fixture.transport.requests.map { [$0.headers["If-None-Match"], $0.headers["If-Modified-Since"]] }
    #expect(fields.map { $0.compactMap(\.self).count } == [0, 2, 0])
  }
}
