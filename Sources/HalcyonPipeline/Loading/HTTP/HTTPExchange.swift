import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// One request of an ``HTTPAttempt``, and the permit to send it.
///
/// A class, like ``HTTPReply``, so that a load that waits has only a reference in its async frame.
final class HTTPExchange: Sendable {
  let route: Route
  /// The URL for which it has waited, or waits.
  let target: HTTPURL
  /// When it began to wait for the permit; `nil` if it has the permit.
  let queued: ContinuousClock.Instant?
  let permit: ConnectionLimiter.Permit
  /// `nil` if the transport cannot prepare transfers.
  let transfer: QueuedTransfer?
  /// Whether the request was made before a wait for the permit.
  let hasWaited: Bool

  init(
    on route: Route, to target: HTTPURL, queued: ContinuousClock.Instant? = nil, permit: ConnectionLimiter.Permit,
    transfer: QueuedTransfer?, hasWaited: Bool
  ) {
    self.route = route
    self.target = target
    self.queued = queued
    self.permit = permit
    self.transfer = transfer
    self.hasWaited = hasWaited
  }

  var request: TransportRequest { route.request }
}

/// The response to one request of an ``HTTPAttempt``.
final class HTTPReply: Sendable {
  let exchange: HTTPExchange
  let began: ContinuousClock.Instant
  let sent: Date
  let response: TransportResponse

  init(to exchange: HTTPExchange, began: ContinuousClock.Instant, sent: Date, response: TransportResponse) {
    self.exchange = exchange
    self.began = began
    self.sent = sent
    self.response = exchange.request.headers["Range"] == nil ? response.whole : response
  }

  var route: Route { exchange.route }
  var request: TransportRequest { exchange.request }
  var head: ResponseHead { ResponseHead(url: request.url, status: response.status, headers: response.headers) }
}

extension TransportResponse {
  /// A 206 to a request without a range counts as a 200, as in browsers. It is not stored if it may be only a part.
  fileprivate var whole: TransportResponse {
    guard status == 206 else { return self }
    var whole = self
    whole.status = 200
    whole.headers["Content-Range"] = nil
    let range = ContentRange(headers["Content-Range"])
    if range == nil || range?.total != range?.byteCount { whole.headers["Cache-Control"] = "no-store" }
    return whole
  }
}

/// The route from the URL of a load over redirects to its next request.
struct Route: Sendable {
  var request: TransportRequest
  /// The redirects on the route, as they are stored.
  var redirects: [EntryMetadata.Redirect] = []
  /// Whether the requests on the route allow storing the response.
  var isStorable = true
  /// Whether the request has the validators of the stored response, so that a 304 confirms it.
  private(set) var isConditional = false
  /// Whether the request is for the rest of a partial body.
  private(set) var isResumed = false

  init(request: TransportRequest) {
    self.request = request
  }

  /// A redirect, and the request that follows it. A class, so that a load that waits has only a reference in its async
  /// frame.
  final class Hop: Sendable {
    let redirect: EntryMetadata.Redirect
    let next: TransportRequest
    /// The route to the redirect.
    let route: Route

    init(redirect: EntryMetadata.Redirect, next: TransportRequest, route: Route) {
      self.redirect = redirect
      self.next = next
      self.route = route
    }
  }

  /// Sets the validators of the stored response and the fields that request the rest of a partial body. They apply only
  /// to the URL that their response came from; another URL may reuse a tag for another image.
  mutating func setConditions(of original: HTTPRequest) {
    let (stored, partial) = (original.stored, original.partial)
    if stored == nil, partial == nil { return }
    let validators = stored.map { leads(to: $0) ? original.validators : HTTPHeaders() } ?? HTTPHeaders()
    let range = partial.map { leads(to: $0.metadata) ? $0.requestFields : HTTPHeaders() } ?? HTTPHeaders()
    (isConditional, isResumed) = (validators.isConditional, range["Range"] != nil)
    // Without a validator or a range, the image request's own field is sent.
    let names = ["If-None-Match", "If-Modified-Since"] + (partial?.requestFields.fields.map(\.name) ?? [])
    for name in names {
      request.headers[name] = range[name] ?? validators[name] ?? original.headers[name]
    }
  }

  /// The stored redirect from here, if it is fresh, so that this URL need not be requested; `nil` without one.
  func storedHop(of original: HTTPRequest, rules: HTTPCacheRules, at now: Date) -> Hop? {
    let (stored, count) = (original.stored?.redirects ?? [], redirects.count)
    guard stored.count > count, stored.starts(with: redirects),
      rules.isFresh(stored[count], requestHeaders: request.headers, at: now),
      let next = try? Redirect.next(after: request, status: stored[count].status, headers: stored[count].headers)
    else { return nil }
    return Hop(redirect: stored[count], next: next, route: self)
  }

  /// The head of the stored response at the end of the redirects, if it is fresh, so that it need not be requested.
  func storedHead(of original: HTTPRequest, rules: HTTPCacheRules, at now: Date) -> EntryMetadata? {
    guard var head = original.stored, leads(to: head) else { return nil }
    head.redirects = []
    guard rules.verdict(on: head, requestHeaders: request.headers, at: now) == .fresh else { return nil }
    head.redirects = redirects
    return head
  }

  /// Whether the request is for the URL that a response came from: the URL of the load, which may be signed anew each
  /// time, or the URL to which the same redirects led.
  private func leads(to response: EntryMetadata) -> Bool {
    redirects.isEmpty && response.redirects.isEmpty
      || response.url?.absoluteString == request.url.withoutCredentials.absoluteString
  }
}

/// A prepared transfer that begins on the thread that grants its permit.
final class QueuedTransfer: Sendable {
  private struct State {
    var beginning: (instant: ContinuousClock.Instant, date: Date)?
    var rejection: ImageError?
  }

  private let transfer: any PreparedTransfer
  private let time: any TimeSource
  private let state = Lock(State())

  init(_ transfer: any PreparedTransfer, time: any TimeSource) {
    self.transfer = transfer
    self.time = time
  }

  /// When the transfer began; `nil` while it waits for a permit.
  var beginning: (instant: ContinuousClock.Instant, date: Date)? { state.withLock { $0.beginning } }

  /// Begins or cancels the transfer.
  func receive(_ outcome: ConnectionLimiter.Outcome) {
    switch outcome {
    case .success:
      let beginning = (ContinuousClock.now, time.now())
      state.withLock { $0.beginning = beginning }
      transfer.begin()
    case .failure(let error):
      state.withLock { $0.rejection = error }
      transfer.cancel()
    }
  }

  /// Waits for the head of the response.
  func response(from url: URL) async throws(ImageError) -> TransportResponse {
    do {
      return try await transfer.response()
    } catch {
      throw state.withLock { $0.rejection } ?? ImageError(transferring: url, error)
    }
  }
}
