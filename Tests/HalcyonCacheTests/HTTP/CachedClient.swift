import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTesting

/// A client that sends requests through an HTTP cache to a server that a test provides.
struct CachedClient {
  /// The server's response to a request; `nil` when it cannot be reached.
  typealias Server = (_ request: HTTPHeaders) -> Response?

  struct Response {
    var status = 200
    var headers: HTTPHeaders
    var body = ""

    static func body(_ body: String, _ headers: HTTPHeaders) -> Response { Response(headers: headers, body: body) }
    static func status(_ status: Int, _ headers: HTTPHeaders = [:]) -> Response {
      Response(status: status, headers: headers)
    }
  }

  /// The result of a request.
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
  /// The header fields of the entry served last.
  private(set) var served = HTTPHeaders()

  var cache: HTTPCache { HTTPCache(store: store, rules: rules) }

  /// Sends one request. Fails with 502 when the server cannot be reached, with 504 when the cache may serve nothing.
  mutating func get(
    _ headers: HTTPHeaders = [:], policy: CachePolicy = .standard, usesETags: Bool = true, from server: Server
  ) async throws -> Result {
    let lookup = await cache.lookUp(
      key, requestHeaders: headers, policy: policy, usesETags: usesETags, at: clock.now())
    switch lookup.action {
    case .unavailable: return .failed(504)
    case .serve: return serve(lookup.stored)
    case .serveStaleWhileRevalidating:
      _ = try await fetch(lookup, server)
      return serve(lookup.stored)
    case .fetch: return try await fetch(lookup, server)
    }
  }

  private mutating func fetch(_ lookup: CacheLookup, _ server: Server) async throws -> Result {
    var request = lookup.requestHeaders
    for field in lookup.addedFields.fields { request.add(name: field.name, value: field.value) }
    requests.append(request)
    guard let response = server(request) else {
      return cache.staleEntry(for: lookup, at: clock.now()).map { serve($0) } ?? .failed(502)
    }
    let head = EntryMetadata(
      status: response.status, headers: response.headers, requestDate: clock.now(), responseDate: clock.now())
    switch await cache.outcome(of: head, to: lookup) {
    case .fetchUnconditionally: return try await fetch(lookup.unconditional, server)
    case .serve(let entry): return serve(entry)
    case .deliver(let storable):
      if let storable { try await cache.store(storable, body: Data(response.body.utf8)) }
      return Result(status: response.status, body: response.body, isStored: false)
    }
  }

  private mutating func serve(_ entry: StoredEntry?) -> Result {
    guard let entry else { return .failed(500) }
    served = entry.metadata.headers
    return Result(status: entry.metadata.status, body: String(decoding: entry.body, as: UTF8.self), isStored: true)
  }
}
