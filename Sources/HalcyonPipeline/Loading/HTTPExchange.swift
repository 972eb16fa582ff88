import Foundation
import HalcyonHTTP

/// One request of an ``HTTPAttempt``, and the permit to send it.
///
/// A class, as ``HTTPReply``: a load that waits keeps a reference in its async frame.
final class HTTPExchange: Sendable {
  let request: TransportRequest
  /// Whether the response may be stored, judged by this request and those that were redirected to it.
  let isStorable: Bool
  let origin: Origin
  /// When it began to wait for the permit.
  let queued: ContinuousClock.Instant
  let permit: ConnectionLimiter.Permit
  /// `nil` if the transport cannot prepare transfers.
  let transfer: QueuedTransfer?

  init(
    request: TransportRequest, isStorable: Bool, origin: Origin, queued: ContinuousClock.Instant,
    permit: ConnectionLimiter.Permit, transfer: QueuedTransfer?
  ) {
    self.request = request
    self.isStorable = isStorable
    self.origin = origin
    self.queued = queued
    self.permit = permit
    self.transfer = transfer
  }
}

/// The response to one request of an ``HTTPAttempt``.
final class HTTPReply: Sendable {
  let request: TransportRequest
  /// That of the ``HTTPExchange``.
  let isStorable: Bool
  let began: ContinuousClock.Instant
  let sent: Date
  let response: TransportResponse

  init(to exchange: HTTPExchange, began: ContinuousClock.Instant, sent: Date, response: TransportResponse) {
    (request, isStorable) = (exchange.request, exchange.isStorable)
    self.began = began
    self.sent = sent
    self.response = response
  }

  var head: ResponseHead { ResponseHead(url: request.url, status: response.status, headers: response.headers) }
}
