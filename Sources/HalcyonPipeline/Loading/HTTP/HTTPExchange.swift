import Foundation
import HalcyonHTTP

/// One request of an ``HTTPAttempt``, and the permit to send it.
///
/// A class, as ``HTTPReply``: a load that waits keeps a reference in its async frame.
final class HTTPExchange: Sendable {
  let route: Route
  let origin: Origin
  /// When it began to wait for the permit.
  let queued: ContinuousClock.Instant
  let permit: ConnectionLimiter.Permit
  /// `nil` if the transport cannot prepare transfers.
  let transfer: QueuedTransfer?

  init(
    on route: Route, origin: Origin, queued: ContinuousClock.Instant, permit: ConnectionLimiter.Permit,
    transfer: QueuedTransfer?
  ) {
    self.route = route
    self.origin = origin
    self.queued = queued
    self.permit = permit
    self.transfer = transfer
  }

  var request: TransportRequest { route.request }
}

/// The response to one request of an ``HTTPAttempt``.
final class HTTPReply: Sendable {
  /// That of the ``HTTPExchange``.
  let route: Route
  let began: ContinuousClock.Instant
  let sent: Date
  let response: TransportResponse

  init(to exchange: HTTPExchange, began: ContinuousClock.Instant, sent: Date, response: TransportResponse) {
    route = exchange.route
    self.began = began
    self.sent = sent
    self.response = route.request.headers["Range"] == nil ? response.whole : response
  }

  var request: TransportRequest { route.request }
  var head: ResponseHead { ResponseHead(url: request.url, status: response.status, headers: response.headers) }
}

extension TransportResponse {
  /// A 206 that was sent without a request for a range is a 200, as in browsers. It is not stored if it may be a part.
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
