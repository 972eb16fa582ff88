import Foundation
import HTTPTypes
import Halcyon
import HummingbirdCore

/// Answers GET and HEAD through the cache, and passes everything else on.
struct CachingProxy: Sendable {
  let origin: Origin
  let cache: HTTPCache
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
