import Foundation
import HTTPTypes
import Halcyon
import HummingbirdCore
import NIOCore

/// Answers GET and HEAD through the cache, and passes everything else on.
struct CachingProxy: Sendable {
  private let origin: Origin
  private let cache: HTTPCache
  private let revalidations = Revalidations()

  init(origin: Origin, cache: HTTPCache) {
    self.origin = origin
    self.cache = cache
  }

  /// The answer to any request; errors are answers as well.
  func response(to request: Request) async -> Response {
    guard let path = request.head.path, let url = origin.address.url(path: path) else {
      return .failure(400, "The target of the request is no path of an address.")
    }
    let exchange = Exchange(request: request, url: url, fields: ProxyFields(request.headers))
    do {
      guard [.get, .head].contains(request.method), !exchange.fields.isForServerOnly else {
        return try await passThrough(exchange, reason: "method")
      }
      return try await cached(exchange)
    } catch {
      return .failure(error, origin: origin.address.url)
    }
  }

  /// Ends what goes on in the background, and the connections.
  func close() async {
    await revalidations.cancelAll()
    await origin.close()
  }

  private func cached(_ exchange: Exchange) async throws -> Response {
    let lookup = await cache.lookUp(exchange.key, requestHeaders: exchange.fields.cacheable, at: Date())
    switch lookup.action {
    case .unavailable:
      return .failure(504, "The cache has no answer that may be served, and the request allows no other.")
    case .serve:
      return serve(lookup.stored, to: exchange, status: "hit")
    case .serveStaleWhileRevalidating:
      await revalidations.start(lookup.key) { await revalidate(lookup, url: exchange.url) }
      return serve(lookup.stored, to: exchange, status: "hit; detail=stale-while-revalidate")
    case .fetch:
      guard exchange.request.method == .get, exchange.fields["Range"] == nil else {
        return try await passThrough(exchange, reason: lookup.stored == nil ? "miss" : "stale")
      }
      return try await ask(lookup, exchange)
    }
  }

  private func ask(_ lookup: CacheLookup, _ exchange: Exchange) async throws -> Response {
    let reason = lookup.stored == nil ? "fwd=miss" : "fwd=stale"
    let answer: OriginAnswer
    do {
      answer = try await send(lookup, url: exchange.url)
    } catch {
      guard let stale = cache.staleEntry(for: lookup, at: Date()) else { throw error }
      return serve(stale, to: exchange, status: "hit; detail=stale-if-error")
    }
    switch await cache.outcome(of: answer.head, to: lookup) {
    case .serve(let entry):
      return serve(entry, to: exchange, status: "\(reason); fwd-status=\(answer.head.status)")
    case .fetchUnconditionally:
      return try await ask(lookup.plain, exchange)
    case .deliver(let draft):
      let stored = draft == nil ? "" : "; stored"
      return deliver(answer, draft: draft, to: exchange, status: "\(reason)\(stored)")
    }
  }

  private func send(_ lookup: CacheLookup, url: URL) async throws -> OriginAnswer {
    var headers = lookup.requestHeaders
    for field in lookup.addedFields.fields { headers.add(name: field.name, value: field.value) }
    let sent = Date()
    let response = try await origin.get(url, headers: headers)
    let head = EntryMetadata(
      url: url, status: response.status, headers: response.headers, requestDate: sent, responseDate: Date())
    return OriginAnswer(head: head, body: response.body)
  }

  /// Asks for a stale answer that has been served already.
  private func revalidate(_ lookup: CacheLookup, url: URL) async {
    do {
      let answer = try await send(lookup, url: url)
      switch await cache.outcome(of: answer.head, to: lookup) {
      case .serve, .deliver(nil): break
      case .deliver(let draft?): try await cache.store(draft, body: try await answer.wholeBody())
      case .fetchUnconditionally: await revalidate(lookup.plain, url: url)
      }
    } catch {
      // The stale answer stays; the next request tries again.
    }
  }

  private func passThrough(_ exchange: Exchange, reason: String) async throws -> Response {
    let answer = try await origin.forward(exchange.request, to: exchange.url)
    let safe: [HTTPRequest.Method] = [.get, .head, .options, .trace]
    let response = Response(answer, status: "fwd=\(reason)")
    if !safe.contains(exchange.request.method), (200..<400).contains(response.status.code) {
      try await cache.removeAnswers(for: exchange.key)
    }
    return response
  }
}

extension CachingProxy {
  /// A stored answer, or as much of it as the request needs.
  private func serve(_ entry: StoredEntry?, to exchange: Exchange, status: String) -> Response {
    guard let entry else { return .failure(500, "The cache lost its answer.") }
    var headers = cache.rules.servedHeaders(of: entry.metadata, at: Date())
    headers["Cache-Status"] = "halcyon; \(status)"
    guard entry.metadata.status == 200 else {
      return response(entry.metadata.status, headers, body: entry.body)
    }
    if entry.metadata.isKnown(to: exchange.fields.conditions) { return .notModified(headers) }
    guard exchange.request.method == .get else { return response(200, headers, body: entry.body) }
    switch ByteRange(exchange.fields.cacheable, stored: headers, byteCount: entry.body.count) {
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

  /// An answer of the server, passed on while it arrives, and kept once it is whole.
  private func deliver(_ answer: OriginAnswer, draft: StorableResponse?, to exchange: Exchange, status: String)
    -> Response
  {
    var headers = answer.head.headers.endToEnd
    headers["Cache-Status"] = "halcyon; \(status)"
    let isKnown = answer.head.status == 200 && answer.head.isKnown(to: exchange.fields.conditions)
    let length = headers["Content-Length"].flatMap(Int.init)
    let body = ResponseBody(contentLength: isKnown ? 0 : length) { [cache] writer in
      var keeper = draft.map { BodyKeeper(draft: $0) }
      // The last piece waits until the answer is kept: whoever has it all may ask again at once.
      var last = Data()
      for try await piece in answer.body {
        if !isKnown { try await writer.write(ByteBuffer(bytes: last)) }
        keeper?.add(piece)
        last = piece
      }
      await keeper?.store(in: cache)
      if !isKnown { try await writer.write(ByteBuffer(bytes: last)) }
      try await writer.finish(nil)
    }
    return isKnown ? .notModified(headers, body: body) : Response(answer.head.status, headers, body: body)
  }

  private func response(_ status: Int, _ headers: HTTPHeaders, body: Data) -> Response {
    var headers = headers
    headers["Content-Length"] = String(body.count)
    return Response(status, headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

/// Collects a body while it is passed on.
private struct BodyKeeper {
  let draft: StorableResponse
  private var body: Data? = Data()

  init(draft: StorableResponse) {
    self.draft = draft
  }

  mutating func add(_ piece: Data) {
    body?.append(piece)
    if let body, body.count > OriginAnswer.storedByteLimit { self.body = nil }
  }

  func store(in cache: HTTPCache) async {
    // A cache that cannot keep the answer does not keep it from whoever asked; the disk cache counts its errors.
    if let body { try? await cache.store(draft, body: body) }
  }
}

/// A request and where it goes.
private struct Exchange: Sendable {
  let request: Request
  let url: URL
  let fields: ProxyFields

  /// What its answers are stored under.
  var key: CacheKey { CacheKey(url.absoluteString) }
}

/// What the server answered to a question of the cache.
private struct OriginAnswer: Sendable {
  /// The largest body that is kept, in bytes.
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

/// Questions that go on after their stale answer was served, one at a time for each key.
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
