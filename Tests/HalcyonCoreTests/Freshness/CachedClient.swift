import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTesting

/// A client that goes through a cache to a server that a test plays.
struct CachedClient {
  /// What the server answers; `nil` when it cannot be reached.
  typealias Server = (_ request: HTTPHeaders) -> Answer?

  struct Answer {
    var status = 200
    var headers: HTTPHeaders
    var body = ""

    static func body(_ body: String, _ headers: HTTPHeaders) -> Answer { Answer(headers: headers, body: body) }
    static func status(_ status: Int, _ headers: HTTPHeaders = [:]) -> Answer {
      Answer(status: status, headers: headers)
    }
  }

  /// What the client gets.
  struct Result: Equatable {
    var status: Int
    var body: String
    var isStored: Bool

    static func stored(_ body: String) -> Result { Result(status: 200, body: body, isStored: true) }
    static func fetched(_ body: String) -> Result { Result(status: 200, body: body, isStored: false) }
    static func failed(_ status: Int) -> Result { Result(status: status, body: "", isStored: false) }
  }

  let store = MemoryDataStore()
  let clock = TestClock()
  var rules = HTTPCacheRules()
  let key: CacheKey = "|url=20:https://example.com/a"
  private(set) var requests: [HTTPHeaders] = []
  /// The fields of what was served last.
  private(set) var served = HTTPHeaders()

  var cache: HTTPCache { HTTPCache(store: store, rules: rules) }

  /// One request; no answer is 502, nothing that may be served 504.
  mutating func get(
    _ headers: HTTPHeaders = [:], policy: FreshnessPolicy = .standard, usesETags: Bool = true, from server: Server
  ) async throws -> Result {
    let lookup = await cache.lookUp(
      key, requestHeaders: headers, policy: policy, usesETags: usesETags, at: clock.now())
    switch lookup.action {
    case .unavailable: return .failed(504)
    case .serve: return serve(lookup.stored)
    case .serveStaleWhileRevalidating:
      _ = try await ask(lookup, server)
      return serve(lookup.stored)
    case .fetch: return try await ask(lookup, server)
    }
  }

  private mutating func ask(_ lookup: CacheLookup, _ server: Server) async throws -> Result {
    var request = lookup.requestHeaders
    for field in lookup.addedFields.fields { request.add(name: field.name, value: field.value) }
    requests.append(request)
    guard let answer = server(request) else {
      return cache.staleEntry(for: lookup, at: clock.now()).map { serve($0) } ?? .failed(502)
    }
    let head = EntryMetadata(
      status: answer.status, headers: answer.headers, requestDate: clock.now(), responseDate: clock.now())
    switch await cache.outcome(of: head, to: lookup) {
    case .fetchUnconditionally: return try await ask(lookup.plain, server)
    case .serve(let entry): return serve(entry)
    case .deliver(let draft):
      if let draft { try await cache.store(draft, body: Data(answer.body.utf8)) }
      return Result(status: answer.status, body: answer.body, isStored: false)
    }
  }

  private mutating func serve(_ entry: StoredEntry?) -> Result {
    guard let entry else { return .failed(500) }
    served = entry.metadata.headers
    return Result(status: entry.metadata.status, body: String(decoding: entry.body, as: UTF8.self), isStored: true)
  }
}
