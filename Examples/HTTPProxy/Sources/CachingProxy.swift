import Foundation
import HTTPRanges
import HTTPTypes
import Halcyon
import HalcyonHTTP
import HalcyonSupport
import HalcyonCache
import HummingbirdCore
import NIOCore

/// Serves GET and HEAD through the cache, and forwards all other requests to the origin.
struct CachingProxy: Sendable {
  private let origin: Origin
  private let cache: HTTPCache
  private let revalidations = Revalidations()

  init(origin: Origin, cache: HTTPCache) {
    self.origin = origin
    self.cache = cache
  }

  /// The response to any request; failures become error responses.
  func response(to request: Request) async -> Response {
    guard let path = request.head.path, let url = origin.server.url(path: path) else {
      return .failure(400, "The request target is not a valid path.")
    }
    let exchange = Exchange(request: request, url: url, fields: ProxyFields(request.headers))
    do {
      guard [.get, .head].contains(request.method), !exchange.fields.isForServerOnly else {
        return try await passThrough(exchange, reason: "method")
      }
      return try await cached(exchange)
    } catch {
      return .failure(error, origin: origin.server.url)
    }
  }

  /// Cancels revalidations in the background, and closes the connections to the origin.
  func close() async {
    await revalidations.cancelAll()
    await origin.close()
  }

  private func cached(_ exchange: Exchange) async throws -> Response {
    let lookup = await cache.lookUp(exchange.key, requestHeaders: exchange.fields.cacheable, at: Date())
    switch lookup.action {
    case .unavailable:
      return .failure(504, "The cache has no usable response, and the request does not allow contacting the origin.")
    case .serve:
      return serve(lookup.stored, to: exchange, status: "hit")
    case .serveStaleWhileRevalidating:
      await revalidations.start(lookup.key) { await revalidate(lookup, url: exchange.url) }
      return serve(lookup.stored, to: exchange, status: "hit; detail=stale-while-revalidate")
    case .fetch:
      guard exchange.request.method == .get, exchange.fields["Range"] == nil else {
        return try await passThrough(exchange, reason: lookup.stored == nil ? "miss" : "stale")
      }
      return try await fetch(lookup, exchange)
    }
  }

  private func fetch(_ lookup: CacheLookup, _ exchange: Exchange) async throws -> Response {
    let reason = lookup.stored == nil ? "fwd=miss" : "fwd=stale"
    let response: OriginResponse
    do {
      response = try await send(lookup, url: exchange.url)
    } catch {
      guard let stale = cache.staleEntry(for: lookup, at: Date()) else { throw error }
      return serve(stale, to: exchange, status: "hit; detail=stale-if-error")
    }
    switch await cache.outcome(of: response.head, to: lookup) {
    case .serve(let entry):
      return serve(entry, to: exchange, status: "\(reason); fwd-status=\(response.head.status)")
    case .fetchUnconditionally:
      return try await fetch(lookup.unconditional, exchange)
    case .deliver(let storable):
      let stored = storable == nil ? "" : "; stored"
      return deliver(response, storable: storable, to: exchange, status: "\(reason)\(stored)")
    }
  }

  private func send(_ lookup: CacheLookup, url: URL) async throws -> OriginResponse {
    var headers = lookup.requestHeaders
    for field in lookup.addedFields.fields { headers.add(name: field.name, value: field.value) }
    let sent = Date()
    let response = try await origin.get(url, headers: headers)
    let head = EntryMetadata(
      url: url, status: response.status, headers: response.headers, requestDate: sent, responseDate: Date())
    return OriginResponse(head: head, body: response.body)
  }

  /// Revalidates a stale response that has been served already.
  private func revalidate(_ lookup: CacheLookup, url: URL) async {
    do {
      let response = try await send(lookup, url: url)
      switch await cache.outcome(of: response.head, to: lookup) {
      case .serve, .deliver(nil): break
      case .deliver(let storable?): try await cache.store(storable, body: try await response.wholeBody())
      case .fetchUnconditionally: await revalidate(lookup.unconditional, url: url)
      }
    } catch {
      // The stale response stays stored; the next request tries again.
    }
  }

  private func passThrough(_ exchange: Exchange, reason: String) async throws -> Response {
    let forwarded = try await origin.forward(exchange.request, to: exchange.url)
    let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]
    let response = Response(forwarded, status: "fwd=\(reason)")
    if !safe.contains(exchange.request.method), (200..<400).contains(response.status.code) {
      try await cache.removeResponses(for: exchange.key)
    }
    return response
  }
}

extension CachingProxy {
  /// A stored response: whole, a 304 or a range, as the request demands.
  private func serve(_ entry: StoredEntry?, to exchange: Exchange, status: String) -> Response {
    guard let entry else { return .failure(500, "The stored response is missing from the cache.") }
    var headers = cache.servedHeaders(of: entry.metadata, at: Date())
    headers["Cache-Status"] = "halcyon; \(status)"
    guard entry.metadata.status == 200 else {
      return response(entry.metadata.status, headers, body: entry.body)
    }
    if HTTPCache.isNotModified(entry.metadata, for: exchange.fields.conditions) { return .notModified(headers) }
    guard exchange.request.method == .get else { return response(200, headers, body: entry.body) }
    let range = ByteRange(
      range: exchange.fields["Range"], ifRange: exchange.fields["If-Range"], entityTag: headers["ETag"],
      lastModified: headers["Last-Modified"], byteCount: entry.body.count)
    switch range {
    case nil:
      return response(200, headers, body: entry.body)
    case .unsatisfiable:
      headers["Content-Range"] = "bytes */\(entry.body.count)"
      return response(416, headers, body: Data())
    case .part(let range):
      headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(entry.body.count)"
      let start = entry.body.startIndex
      let part = entry.body[(start + range.lowerBound)..<(start + range.upperBound)]
      return response(206, headers, body: part)
    }
  }

  /// The origin's response, streamed to the client, and stored once complete.
  private func deliver(
    _ response: OriginResponse, storable: StorableResponse?, to exchange: Exchange, status: String
  ) -> Response {
    var headers = HTTPCache.endToEnd(response.head.headers)
    headers["Cache-Status"] = "halcyon; \(status)"
    let isNotModified =
      response.head.status == 200 && HTTPCache.isNotModified(response.head, for: exchange.fields.conditions)
    let length = headers["Content-Length"].flatMap(Int.init)
    let body = ResponseBody(contentLength: isNotModified ? 0 : length) { [cache] writer in
      var collector = storable.map { BodyCollector(response: $0) }
      // The last piece is held back until the response is stored: a client that has it all may repeat the request at once.
      var last = Data()
      for try await piece in response.body {
        if !isNotModified { try await writer.write(ByteBuffer(bytes: last)) }
        collector?.add(piece)
        last = piece
      }
      await collector?.store(in: cache)
      if !isNotModified { try await writer.write(ByteBuffer(bytes: last)) }
      try await writer.finish(nil)
    }
    return isNotModified ? .notModified(headers, body: body) : Response(response.head.status, headers, body: body)
  }

  private func response(_ status: Int, _ headers: HTTPHeaders, body: Data) -> Response {
    var headers = headers
    headers["Content-Length"] = String(body.count)
    return Response(status, headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

/// Collects a body for the cache while it is streamed to the client.
private struct BodyCollector {
  let response: StorableResponse
  private var body: Data? = Data()

  init(response: StorableResponse) {
    self.response = response
  }

  mutating func add(_ piece: Data) {
    body?.append(piece)
    if let body, body.count > OriginResponse.storedByteLimit { self.body = nil }
  }

  func store(in cache: HTTPCache) async {
    // A failure to store must not fail the response; the disk cache counts its errors.
    if let body { try? await cache.store(response, body: body) }
  }
}

/// A client's request and its URL at the origin.
private struct Exchange: Sendable {
  let request: Request
  let url: URL
  let fields: ProxyFields

  /// The cache key of its responses.
  var key: CacheKey { CacheKey(url.absoluteString) }
}

/// The origin's response to a request of the cache.
private struct OriginResponse: Sendable {
  /// The largest body that is stored, in bytes.
  static let storedByteLimit = 64 << 20

  let head: EntryMetadata
  let body: TransportBody

  func wholeBody() async throws -> Data {
    var data = Data()
    for try await piece in body {
      data.append(piece)
      guard data.count <= Self.storedByteLimit else { throw TooLarge() }
    }
    return data
  }

  struct TooLarge: Error {}
}

/// Revalidations in the background (stale-while-revalidate), at most one for each key.
private actor Revalidations {
  private var tasks: [CacheKey: Task<Void, Never>] = [:]

  func start(_ key: CacheKey, _ body: @escaping @Sendable () async -> Void) {
    guard tasks[key] == nil else { return }
    tasks[key] = Task {
      await body()
      tasks[key] = nil
    }
  }

  func cancelAll() {
    for task in tasks.values { task.cancel() }
  }
}
