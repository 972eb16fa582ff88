import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Each redirect has a freshness of its own, and validators hold for the URL alone that the stored response came from.
@Suite(.unitTest)
struct RedirectFreshnessTests {
  private let site = Site()

  /// A server whose pages a test changes. It responds with 304 to the entity tag of a page.
  final class Site: Sendable {
    struct Page {
      var status = 200
      var headers: HTTPHeaders = [:]
      var body = Data()
    }

    let clock = TestClock()
    private let pages = Lock<[String: Page]>([:])

    func serve(_ path: String, _ color: UInt8, _ headers: HTTPHeaders) {
      let image = SolidImage(width: 10, height: 10, color: (color, color, color)).data
      pages.withLock { $0[path] = Page(headers: headers, body: image) }
    }

    func redirect(_ path: String, to target: String, status: Int = 302, _ control: String?, vary: String? = nil) {
      var headers: HTTPHeaders = ["Location": target]
      (headers["Cache-Control"], headers["Vary"]) = (control, vary)
      pages.withLock { [headers] in $0[path] = Page(status: status, headers: headers) }
    }

    /// Bytes that begin like an image.
    func serveDamaged(_ path: String) {
      pages.withLock { $0[path] = Page(body: SolidImage(width: 10, height: 10).data.prefix(12)) }
    }

    /// Status 0 is a server that cannot be reached.
    func fail(_ path: String, _ status: Int) { pages.withLock { $0[path] = Page(status: status) } }

    func reply(to request: TransportRequest) -> ScriptedTransport.Reply {
      let page = pages.withLock { $0[request.url.path()] } ?? Page(status: 404)
      if page.status == 0 { return .failure(.hostNotFound("example.com")) }
      let tag = request.headers["If-None-Match"]
      return tag != nil && tag == page.headers["ETag"]
        ? .response(status: 304, body: Data(), headers: page.headers)
        : .response(status: page.status, body: page.body, headers: page.headers)
    }
  }

  private func fixture(_ configure: (inout PipelineConfiguration) -> Void = { _ in }) -> PipelineFixture {
    PipelineFixture { [site] configuration in
      configuration.time = site.clock
      configuration.options.retryStrategy = .never
      configure(&configuration)
    } script: { [site] in
      site.reply(to: $0)
    }
  }

  /// The color of an image, and the paths that were requested for it.
  private func load(
    _ fixture: PipelineFixture, _ freshness: CachePolicy = .standard, headers: HTTPHeaders = [:],
    forgetsMemory: Bool = false
  ) async throws -> (color: UInt8, paths: [String]) {
    if forgetsMemory { fixture.memory.removeAll() }
    let known = fixture.transport.requests.count
    var request = ImageRequest(url: fixture.url) { $0.cachePolicy = freshness }
    request.headers = headers
    let image = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    return (image.bitmap[0, 0].red, fixture.transport.requests.dropFirst(known).map { $0.url.path() })
  }

  private func conditions(_ fixture: PipelineFixture) -> [String?] {
    fixture.transport.requests.map { $0.headers["If-None-Match"] }
  }

  static let redirects: [(status: Int, redirect: String?, image: String, seconds: Int, paths: [String])] = [
    (301, nil, "max-age=600", 1, []), (308, nil, "max-age=600, immutable", 599, []),
    (301, "no-cache", "max-age=600", 1, ["/a", "/c"]), (308, "no-store", "max-age=600", 1, ["/a", "/c"]),
    (302, nil, "max-age=600, immutable", 0, ["/a", "/c"]), (303, nil, "max-age=600", 0, ["/a", "/c"]),
    (307, nil, "max-age=600", 0, ["/a", "/c"]), (302, "no-store", "max-age=600, immutable", 1, ["/a", "/c"]),
    (302, "max-age=60", "max-age=600", 59, []), (302, "max-age=60", "max-age=600", 61, ["/a", "/c"]),
    (302, "max-age=600", "max-age=60", 61, ["/b"]), (301, nil, "no-cache", 1, ["/b"]),
    (302, "max-age=60, immutable", "max-age=60", 61, ["/a", "/c"]), (301, "max-age=60", "no-cache", 61, ["/a", "/c"]),
  ]

  @Test(arguments: redirects)
  func `a redirect that is not fresh is requested again, and one that is fresh is not`(
    status: Int, redirect: String?, image: String, seconds: Int, paths: [String]
  ) async throws {
    for forgetsMemory in [false, true] {
      let fixture = fixture()
      site.redirect("/a", to: "/b", status: status, redirect)
      site.serve("/b", 1, ["Cache-Control": image, "ETag": "\"x\""])
      site.serve("/c", 2, ["Cache-Control": image, "ETag": "\"x\""])
      #expect(try await load(fixture).paths == ["/a", "/b"])
      site.clock.advance(by: .seconds(seconds))
      site.redirect("/a", to: "/c", status: status, redirect)
      let second = try await load(fixture, forgetsMemory: forgetsMemory)
      #expect(second.paths == paths)
      #expect(second.color == (paths.contains("/c") ? 2 : 1))
    }
  }

  @Test(
    arguments: [
      ("max-age=600, immutable", []), ("max-age=600", ["/a", "/b"]), (nil, ["/a", "/b"]),
    ] as [(String?, [String])])
  func `revalidating requests a redirect again unless it is immutable as well as the image`(
    control: String?, paths: [String]
  ) async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", status: 301, control)
    site.serve("/b", 1, ["Cache-Control": "max-age=600, immutable", "ETag": "\"x\""])
    _ = try await load(fixture)
    #expect(try await load(fixture, .revalidate).paths == paths)
    #expect(try await load(fixture, .reload).paths == ["/a", "/b"])
    #expect(conditions(fixture).suffix(2) == [nil, nil])
  }

  @Test(arguments: [["ETag": "\"x\""] as HTTPHeaders, [:]])
  func `an image to which a redirect leads again is not requested while it is fresh itself`(
    validators: HTTPHeaders
  ) async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", "no-cache")
    site.serve("/b", 1, validators.adding(["Cache-Control": "max-age=60"]))
    _ = try await load(fixture)
    for _ in 0..<2 {
      let again = try await load(fixture, forgetsMemory: true)
      #expect(again.paths == ["/a"] && again.color == 1)
    }
    site.clock.advance(by: .seconds(61))
    #expect(try await load(fixture).paths == ["/a", "/b"])
    #expect(conditions(fixture) == [nil, nil, nil, nil, nil, validators["ETag"]])
  }

  @Test func `of several redirects the first that is not fresh is requested`() async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", status: 301, nil)
    site.redirect("/b", to: "/c", "max-age=60")
    site.redirect("/c", to: "/d", "max-age=600")
    site.serve("/d", 1, ["Cache-Control": "max-age=600", "ETag": "\"x\""])
    #expect(try await load(fixture).paths == ["/a", "/b", "/c", "/d"])
    site.clock.advance(by: .seconds(30))
    #expect(try await load(fixture, forgetsMemory: true).paths == [])
    site.clock.advance(by: .seconds(31))
    #expect(try await load(fixture).paths == ["/b", "/c"])
    #expect(try await load(fixture, forgetsMemory: true).paths == [])
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `validators go only to the URL of the stored image, so that no other confirms it`(status: Int) async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", status: status, "no-store")
    for (path, color) in [("/b", 1), ("/c", 2)] as [(String, UInt8)] {
      site.serve(path, color, ["Cache-Control": "no-cache", "ETag": "\"x\""])
    }
    _ = try await load(fixture)
    #expect(try await load(fixture, forgetsMemory: true).color == 1)
    #expect(conditions(fixture) == [nil, nil, nil, "\"x\""])
    site.redirect("/a", to: "/c", status: status, "no-store")
    for forgetsMemory in [false, true] {
      #expect(try await load(fixture, forgetsMemory: forgetsMemory).color == 2)
    }
    #expect(conditions(fixture).suffix(4) == [nil, nil, nil, "\"x\""])
    // The image itself, and then a redirect.
    site.serve("/a", 3, ["Cache-Control": "no-cache", "ETag": "\"x\""])
    for forgetsMemory in [false, true] {
      #expect(try await load(fixture, forgetsMemory: forgetsMemory).color == 3)
    }
    #expect(conditions(fixture).suffix(2) == [nil, "\"x\""])
    site.redirect("/a", to: "/c", status: status, "no-store")
    #expect(try await load(fixture).color == 2)
    #expect(conditions(fixture).suffix(2) == ["\"x\"", nil])
  }

  @Test func `the caller's own conditions stay on redirects`() async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", nil)
    site.serve("/b", 1, ["Cache-Control": "no-cache", "ETag": "\"x\""])
    for _ in 0..<2 { _ = try await load(fixture, headers: ["If-Match": "\"x\"", "If-None-Match": "\"mine\""]) }
    #expect(fixture.transport.requests.map { $0.headers["If-Match"] } == Array(repeating: "\"x\"", count: 4))
    #expect(conditions(fixture) == ["\"mine\"", "\"mine\"", "\"mine\"", "\"x\""])
  }

  @Test(
    arguments: [
      (nil, "max-age=1, stale-if-error=60", 503, false), ("max-age=60", "max-age=1, stale-if-error=60", 503, true),
      ("max-age=1, stale-if-error=60", "max-age=1, stale-if-error=60", 503, true),
      ("max-age=1, stale-if-error=5", "max-age=1, stale-if-error=60", 503, false),
      ("max-age=1, stale-if-error=60", "max-age=60", 503, true), ("no-store", "max-age=60", 503, false),
      (nil, "max-age=60", 0, true), ("no-cache", "max-age=60", 0, false), ("no-store", "max-age=60", 0, false),
      ("max-age=1, must-revalidate", "max-age=60", 0, false), ("max-age=60, must-revalidate", "max-age=1", 0, true),
    ] as [(String?, String, Int, Bool)])
  func `a stale image is served in place of an error only if its redirects allow it`(
    redirect: String?, image: String, status: Int, isServed: Bool
  ) async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", redirect)
    site.serve("/b", 1, ["Cache-Control": image])
    _ = try await load(fixture)
    site.clock.advance(by: .seconds(20))
    for path in ["/a", "/b"] { site.fail(path, status) }
    for forgetsMemory in [false, true] {
      let result = try? await load(fixture, forgetsMemory: forgetsMemory)
      #expect((result?.color == 1) == isServed)
    }
  }

  @Test func `a redirect within stale-while-revalidate is followed and revalidated in the background`() async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", "max-age=1, stale-while-revalidate=60")
    for (path, color) in [("/b", 1), ("/c", 2)] as [(String, UInt8)] {
      site.serve(path, color, ["Cache-Control": "max-age=600", "ETag": "\"x\""])
    }
    _ = try await load(fixture)
    site.clock.advance(by: .seconds(2))
    site.redirect("/a", to: "/c", "max-age=60")
    let stale = try await load(fixture, forgetsMemory: true)
    #expect(stale.color == 1 && stale.paths == ["/a", "/c"])
    let fresh = try await load(fixture, forgetsMemory: true)
    #expect(fresh.color == 2 && fresh.paths == [])
  }

  /// A load by a pipeline with a language, and an empty memory cache.
  private func load(
    language: String, _ store: MemoryDataStore, _ freshness: CachePolicy = .standard
  ) async throws -> (color: UInt8, paths: [String]) {
    let fixture = fixture {
      $0.headers["Accept-Language"] = language
      $0.cache = ImageCache(memory: MemoryCache(), store: store)
    }
    return try await load(fixture, freshness)
  }

  @Test func `Vary of a redirect distinguishes requests`() async throws {
    let store = MemoryDataStore()
    site.redirect("/a", to: "/b", "max-age=60", vary: "Accept-Language")
    site.serve("/b", 1, ["Cache-Control": "max-age=60"])
    site.serve("/c", 2, ["Cache-Control": "max-age=60"])
    #expect(try await load(language: "de", store).paths == ["/a", "/b"])
    site.redirect("/a", to: "/c", "max-age=60", vary: "Accept-Language")
    let other = try await load(language: "fr", store)
    #expect(other.color == 2 && other.paths == ["/a", "/c"])
    for (language, color) in [("de", 1), ("fr", 2)] as [(String, UInt8)] {
      let again = try await load(language: language, store)
      #expect(again.color == color && again.paths == [])
    }
    site.redirect("/a", to: "/b", "max-age=60", vary: "*")
    _ = try await load(language: "de", store, .reload)
    #expect(try await load(language: "de", store).paths == ["/a"])
  }

  @Test func `redirects that begin to vary make their image another variant`() async throws {
    let store = MemoryDataStore()
    site.redirect("/a", to: "/b", "no-cache")
    site.serve("/b", 1, ["Cache-Control": "max-age=60", "ETag": "\"x\""])
    _ = try await load(language: "de", store)
    site.redirect("/a", to: "/b", "max-age=60", vary: "Accept-Language")
    _ = try await load(language: "de", store)
    #expect(try await load(language: "de", store).paths == [])
    #expect(try await load(language: "fr", store).paths == ["/a", "/b"])
  }

  @Test(
    arguments: [
      (301, nil, true), (302, nil, false), (302, "max-age=5", true), (302, "no-store", false),
    ] as [(Int, String?, Bool)])
  func `a failure behind redirects is remembered as long as they are fresh`(
    status: Int, control: String?, isRemembered: Bool
  ) async throws {
    for isImage in [false, true] {
      let fixture = fixture()
      site.redirect("/a", to: "/b", status: status, control)
      if isImage { site.serveDamaged("/b") } else { site.fail("/b", 404) }
      await #expect(throws: ImageError.self) { try await load(fixture) }
      // Other loads share the response until the first one has released it.
      while !fixture.pipeline.loader.bytes.inFlight.isEmpty { try await Task.yieldUnlessCancelled() }
      await #expect(throws: ImageError.self) { try await load(fixture) }
      #expect(fixture.transport.requests.count == (isRemembered ? 2 : 4))
      while !fixture.pipeline.loader.bytes.inFlight.isEmpty { try await Task.yieldUnlessCancelled() }
      site.clock.advance(by: .seconds(control == "max-age=5" ? 6 : 11))
      await #expect(throws: ImageError.self) { try await load(fixture) }
      #expect(fixture.transport.requests.count == (isRemembered ? 4 : 6))
    }
  }

  @Test(arguments: [("private, max-age=60", true), ("max-age=60", false)])
  func `a shared cache does not keep the redirects of one user`(control: String, isRequested: Bool) async throws {
    let fixture = fixture { $0.httpCaching.isShared = true }
    site.redirect("/a", to: "/b", control)
    site.serve("/b", 1, ["Cache-Control": "max-age=60"])
    _ = try await load(fixture)
    #expect(try await load(fixture, forgetsMemory: true).paths == (isRequested ? ["/a"] : []))
  }

  @Test func `a Location with credentials is not stored`() async throws {
    let responses = EventLog<String>()
    let fixture = fixture {
      $0.eventHandler = { if case .responded(_, let url) = $0.kind { responses.record(url.absoluteString) } }
    }
    site.redirect("/a", to: "//user:secret@example.com/b", status: 301, "max-age=60")
    site.serve("/b", 1, ["Cache-Control": "max-age=60"])
    _ = try await load(fixture)
    let entry = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: ImageRequest(url: fixture.url)))
    let redirects = try #require(entry?.metadata.redirects)
    #expect(redirects.map(\.headers) == [["Cache-Control": "no-cache"]])
    #expect(entry?.metadata.url?.absoluteString == "http://example.com/b")
    #expect(responses.events == ["http://example.com/a", "http://example.com/b"])
    #expect(try await load(fixture, forgetsMemory: true).paths == ["/a"])
  }

  @Test func `a redirect handler sees the redirects of the store too`() async throws {
    let seen = EventLog<String>()
    let fixture = fixture {
      $0.options.redirectHandler = { url, next in
        seen.record(url.path() + next.url.path())
        return next
      }
    }
    site.redirect("/a", to: "/b", status: 301, nil)
    site.serve("/b", 1, ["Cache-Control": "no-cache", "ETag": "\"x\""])
    for _ in 0..<2 { _ = try await load(fixture) }
    #expect(seen.events == ["/a/b", "/a/b"])
    #expect(fixture.transport.requests.map { $0.url.path() } == ["/a", "/b", "/b"])
  }

  @Test(
    arguments: [
      (302, nil, "max-age=0", 0), (301, nil, "max-age=600", 600), (302, "max-age=60", "max-age=60", 60),
    ] as [(Int, String?, String, Int)])
  func `an encoded image has the directives that its redirects leave`(
    status: Int, control: String?, expected: String, seconds: Int
  ) async throws {
    let fixture = fixture()
    site.redirect("/a", to: "/b", status: status, control)
    site.serve("/b", 1, ["Cache-Control": "max-age=600, immutable, private", "Expires": "0"])
    let request = ImageRequest(url: fixture.url)
    for _ in 0..<2 {
      let response = try await fixture.pipeline.plannedResponse(for: request, planIdentifier: "as it is") { _ in nil }
      #expect(response.freshness == .seconds(seconds))
      #expect(response.head?.headers["Cache-Control"] == expected + ", private")
      #expect(response.head?.headers["Expires"] == nil)
      await fixture.pipeline.cache.flush()
    }
  }
}
