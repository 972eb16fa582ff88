import HalcyonTestDoubles
import HalcyonPipeline
import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct VariantTests {
  private static let varying: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "Accept"]
  private var client = CachedClient()

  private mutating func get(_ accept: String, _ response: CachedClient.Response? = nil) async throws
    -> CachedClient.Result
  {
    try await client.get(["Accept": accept]) { _ in response }
  }

  @Test mutating func `requests that differ in a Vary field get different responses`() async throws {
    #expect(try await get("image/avif", .body("avif", Self.varying)) == .fetched("avif"))
    #expect(try await get("image/png", .body("png", Self.varying)) == .fetched("png"))
    #expect(try await get("image/avif") == .stored("avif"))
    #expect(try await get("image/png") == .stored("png"))
    #expect(client.store.keys.count == 2)
  }

  @Test mutating func `a response that varies on everything is not stored`() async throws {
    for body in ["one", "two"] {
      #expect(
        try await get("a", .body(body, ["Cache-Control": "max-age=60", "Vary": "Accept, *"])) == .fetched(body))
    }
    #expect(client.store.keys.isEmpty)
  }

  @Test mutating func `the oldest variant is evicted when there are too many`() async throws {
    for number in 0..<HTTPCache.variantLimit { _ = try await get("\(number)", .body("\(number)", Self.varying)) }
    #expect(try await get("0") == .stored("0"))
    #expect(try await get("8", .body("8", Self.varying)) == .fetched("8"))
    #expect(try await get("9", .body("9", Self.varying)) == .fetched("9"))
    for number in 0...1 { #expect(try await get("\(number)") == .failed(502)) }
    for number in 2...9 { #expect(try await get("\(number)") == .stored("\(number)")) }
    #expect(client.store.keys.count == HTTPCache.variantLimit)
  }

  @Test mutating func `each variant is revalidated and replaced separately`() async throws {
    _ = try await get("a", .body("a", Self.varying))
    _ = try await get("b", .body("b", ["Cache-Control": "max-age=60", "Vary": "Accept", "ETag": "\"b\""]))
    client.clock.advance(by: .seconds(61))
    #expect(try await get("b", .status(304)) == .stored("b"))
    #expect(client.requests.last == ["Accept": "b", "If-None-Match": "\"b\""])
    #expect(try await get("b") == .stored("b"))
    #expect(try await get("a", .body("a2", Self.varying)) == .fetched("a2"))
    #expect(try await get("a") == .stored("a2"))
    #expect(try await get("b") == .stored("b"))
    #expect(client.store.keys.count == 2)
  }

  @Test mutating func `a response without Vary replaces all variants`() async throws {
    for name in ["a", "b", "c"] { _ = try await get(name, .body(name, Self.varying)) }
    client.clock.advance(by: .seconds(61))
    _ = try await get("b", .body("all", ["Cache-Control": "max-age=60"]))
    for name in ["a", "b", "c", "d"] { #expect(try await get(name) == .stored("all")) }
    #expect(client.store.keys == [client.key])
  }

  @Test mutating func `the newest of several matching variants is served`() async throws {
    let languages: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "Accept-Language"]
    _ = try await client.get(["Accept": "a", "Accept-Language": "de"]) { _ in .body("old", Self.varying) }
    _ = try await client.get(["Accept": "b", "Accept-Language": "en"]) { _ in .body("new", languages) }
    #expect(try await client.get(["Accept": "a", "Accept-Language": "en"]) { _ in nil } == .stored("new"))
    #expect(try await client.get(["Accept": "a", "Accept-Language": "de"]) { _ in nil } == .stored("old"))
  }

  @Test mutating func `an entry with Vary that another program stored without its variant serves no request`()
    async throws
  {
    _ = try await get("a", .body("a", Self.varying))
    var entry = try #require(try await client.store.entry(for: client.key))
    (entry.metadata.variant, entry.metadata.variants) = (nil, [])
    try await client.store.store(entry, for: client.key)
    #expect(try await get("a", .body("a2", Self.varying)) == .fetched("a2"))
  }

  @Test mutating func `an evicted variant is fetched again, also the one that lists the others`() async throws {
    for name in ["a", "b"] { _ = try await get(name, .body(name, Self.varying)) }
    let second = try #require(client.store.keys.first { $0 != client.key })
    try await client.store.removeEntry(for: second)
    #expect(try await get("b", .body("b2", Self.varying)) == .fetched("b2"))
    #expect(try await get("b") == .stored("b2"))
    try await client.store.removeEntry(for: client.key)
    #expect(try await get("a", .body("a2", Self.varying)) == .fetched("a2"))
    #expect(try await get("a") == .stored("a2"))
  }

  @Test mutating func `removing the variant that lists the others removes all`() async throws {
    for name in ["a", "b", "c"] { _ = try await get(name, .body(name, Self.varying)) }
    client.clock.advance(by: .seconds(61))
    _ = try await get("b", .body("secret", ["Cache-Control": "no-store", "Vary": "Accept"]))
    #expect(client.store.keys.count == 2)
    _ = try await get("a", .body("secret", ["Cache-Control": "no-store", "Vary": "Accept"]))
    #expect(client.store.keys.isEmpty)
  }

  @Test func `a response without variants, and the first of several, take one read`() async throws {
    let store = CountingStore()
    let cache = HTTPCache(store: store)
    let now = Date()
    for (accept, vary, reads) in [("a", nil, 1), ("a", "Accept", 1), ("b", "Accept", 2)] as [(String, String?, Int)] {
      let key = CacheKey("response \(vary ?? "")")
      let headers: HTTPHeaders = ["Accept": accept]
      var head = EntryMetadata(headers: ["Cache-Control": "max-age=60"], requestDate: now, responseDate: now)
      head.headers["Vary"] = vary
      let lookup = await cache.lookUp(key, requestHeaders: headers, at: now)
      guard case .deliver(let storable?) = await cache.outcome(of: head, to: lookup) else {
        Issue.record("the response is not storable")
        return
      }
      try await cache.store(storable, body: Data(accept.utf8))
      store.reset()
      let found = await cache.lookUp(key, requestHeaders: headers, at: now)
      #expect(found.stored?.body == Data(accept.utf8))
      #expect(store.readCount == reads)
    }
  }

  @Test(arguments: [("a", 0), ("b", 2), ("c", 2)])
  func `a response that may not be stored removes its variant alone, in one call`(accept: String, count: Int)
    async throws
  {
    let (store, now, key) = (CountingStore(), Date(), CacheKey("response"))
    let cache = HTTPCache(store: store)
    func head(_ control: String) -> EntryMetadata {
      EntryMetadata(headers: ["Cache-Control": control, "Vary": "Accept"], requestDate: now, responseDate: now)
    }
    for accept in ["a", "b", "c"] {
      let lookup = await cache.lookUp(key, requestHeaders: ["Accept": accept], at: now)
      guard case .deliver(let storable?) = await cache.outcome(of: head("max-age=60"), to: lookup) else {
        Issue.record("the response is not storable")
        return
      }
      try await cache.store(storable, body: Data(accept.utf8))
    }
    store.reset()
    let lookup = await cache.lookUp(key, requestHeaders: ["Accept": accept], at: now)
    _ = await cache.outcome(of: head("no-store"), to: lookup)
    #expect(store.base.count == count)
    if count > 0 { #expect(store.removalCount == 1) }
  }

  @Test func `variants that are fetched at the same time are all kept`() async throws {
    let (cache, now, key) = (HTTPCache(store: MemoryDataStore()), Date(), CacheKey("response"))
    let head = EntryMetadata(headers: Self.varying, requestDate: now, responseDate: now)
    let names = ["a", "b", "c"]
    var responses: [StorableResponse] = []
    for name in names {
      let lookup = await cache.lookUp(key, requestHeaders: ["Accept": name], at: now)
      guard case .deliver(let storable?) = await cache.outcome(of: head, to: lookup) else {
        Issue.record("the response is not storable")
        return
      }
      responses.append(storable)
    }
    for (name, response) in zip(names, responses) { try await cache.store(response, body: Data(name.utf8)) }
    for name in names {
      let lookup = await cache.lookUp(key, requestHeaders: ["Accept": name], at: now)
      #expect(lookup.stored?.body == Data(name.utf8))
    }
  }

  @Test mutating func `all variants are removed together`() async throws {
    for name in ["a", "b", "c"] { _ = try await get(name, .body(name, Self.varying)) }
    try await client.cache.removeResponses(for: client.key)
    #expect(client.store.keys.isEmpty)
  }

  @Test func `on disk variants persist, contain no request values, and are removed with their source`() async throws {
    try await TemporaryDirectory.run { folder in
      let secret = "Bearer c2VjcmV0LXRva2Vu"
      let url = try #require(URL(string: "https://example.com/a.png"))
      let key = CacheKey("|url=\(url.absoluteString.utf8.count):\(url.absoluteString)")
      let now = Date()
      for (value, body) in [(secret, "mine"), ("Bearer other", "theirs")] {
        // A new cache each time, as after a relaunch.
        let disk = DiskCache(directory: folder)
        let cache = HTTPCache(store: disk)
        let lookup = await cache.lookUp(key, requestHeaders: ["Authorization": value], at: now)
        #expect(lookup.action == .fetch)
        let head = EntryMetadata(
          headers: ["Cache-Control": "max-age=60", "Vary": "Authorization"], requestDate: now, responseDate: now)
        guard case .deliver(let storable?) = await cache.outcome(of: head, to: lookup) else {
          Issue.record("the response is not storable")
          return
        }
        try await cache.store(storable, body: Data(body.utf8))
      }
      let disk = DiskCache(directory: folder)
      let lookup = await HTTPCache(store: disk).lookUp(key, requestHeaders: ["Authorization": secret], at: now)
      #expect(lookup.stored?.body == Data("mine".utf8))
      let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
      for name in names {
        let bytes = FileManager.default.contents(atPath: folder.appending(path: name).path()) ?? Data()
        #expect(bytes.range(of: Data("c2VjcmV0LXRva2Vu".utf8)) == nil, "\(name)")
      }
      #expect(try await disk.removeEntries(from: .url(url)) == 2)
    }
  }
}

/// A store that counts reads and removals of entries.
private final class CountingStore: PassingStore {
  let base = MemoryDataStore()
  private let counts = Lock((reads: 0, removals: 0))

  var readCount: Int { counts.withLock(\.reads) }
  var removalCount: Int { counts.withLock(\.removals) }
  func reset() { counts.withLock { $0 = (0, 0) } }

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    counts.withLock { $0.reads += 1 }
    return try await base.entry(for: key)
  }

  func removeEntry(for key: CacheKey) async throws {
    counts.withLock { $0.removals += 1 }
    try await base.removeEntry(for: key)
  }
}
