import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// One attempt at a request: modifier, permit, transfer, redirects, credentials and validation, but no retries.
///
/// Consists of small steps that hold references only, since a thousand loads may wait here for a permit, each with its
/// async frame. Redirects, credentials, the caller's hooks and bodies have files of their own.
final class HTTPAttempt: Sendable {
  /// The next step.
  enum Step {
    case send(HTTPExchange)
    case follow(Route.Hop)
    /// `nil` if the server has sent other bytes than the requested range: the partial body is dropped.
    case finish(HTTPResponse?)
  }

  let request: HTTPRequest
  let loader: HTTPLoader

  init(_ request: HTTPRequest, by loader: HTTPLoader) {
    self.request = request
    self.loader = loader
  }

  var load: Load { request.load }
  var configuration: PipelineConfiguration { loader.configuration }

  /// Sends the request, and once more
  /// - if credentials were renewed,
  /// - if its URL may have expired (status 401 or 403),
  /// - over a new connection, if the server does not serve the host over this one (status 421; RFC 9110, 15.5.20),
  /// - without a range, if the server refuses it.
  func result() async -> Result<HTTPResponse, ImageError> {
    do throws(ImageError) {
      return .success(try await response())
    } catch {
      return .failure(error)
    }
  }

  private func response() async throws(ImageError) -> HTTPResponse {
    var (mayRenew, mayMakeAgain, mayReconnect) = (modifier != nil, true, true)
    while true {
      let generation = mayRenew ? request.origin.map { loader.renewals.generation(of: $0) } ?? 0 : 0
      let result = await resultOfRoute()
      if mayRenew, try await renewsCredentials(since: generation) {
        mayRenew = false
      } else if mayMakeAgain, request.rejection?.mayBeExpired == true {
        mayMakeAgain = false
      } else if mayReconnect, request.rejection?.head.status == 421 {
        (mayReconnect, request.usesNewConnection) = (false, true)
      } else if !(mayRefuseRange(result) && request.setPartialAside()), let response = try result.get() {
        return response
      }
    }
  }

  /// Whether other credentials are sent from now on.
  ///
  /// - Parameter generation: That of the credentials sent.
  private func renewsCredentials(since generation: Int) async throws(ImageError) -> Bool {
    guard let head = request.rejection?.head, head.status == 401, let origin = request.origin,
      Origin(head.url) == origin
    else { return false }
    return try await renewCredentials(of: origin, since: generation, head)
  }

  private func mayRefuseRange(_ result: Result<HTTPResponse?, ImageError>) -> Bool {
    if case .failure(let error) = result, error.mayRefuseRange { return true }
    return request.rejection != nil
  }

  /// Sends the request, and follows redirects.
  private func resultOfRoute() async -> Result<HTTPResponse?, ImageError> {
    do throws(ImageError) {
      var step = try await start()
      while true {
        switch step {
        case .send(let exchange): step = try await perform(exchange)
        case .follow(let hop): step = try await follow(hop)
        case .finish(let response): return .success(response)
        }
      }
    } catch {
      return .failure(error)
    }
  }

  private func start() async throws(ImageError) -> Step {
    (request.redirects, request.rejection) = ([], nil)
    request.requestsRange = false
    if isMadeByClosures { return try await startMaking() }
    let route = route(to: request.url)
    if let hop = storedHop(of: route) { return .follow(hop) }
    return .send(try await exchange(on: route))
  }

  /// The route to its first request, before the modifier has changed it.
  func route(to url: URL) -> Route {
    var route = Route(request: unmodifiedRequest(for: url))
    route.setConditions(of: request)
    return route
  }

  func storedHop(of route: Route) -> Route.Hop? {
    route.storedHop(of: request, rules: configuration.httpCaching, at: configuration.time.now())
  }

  private func unmodifiedRequest(for url: URL) -> TransportRequest {
    var headers = request.headers
    for field in request.cacheFields.fields { headers[field.name] = field.value }
    var unmodified = TransportRequest(url: url, headers: headers, limits: configuration.transportLimits)
    unmodified.usesNewConnection = request.usesNewConnection
    guard let content = request.content else { return unmodified }
    unmodified.content = content
    if content.body != nil, headers["Content-Type"] == nil {
      unmodified.headers["Content-Type"] = "application/octet-stream"
    }
    return unmodified
  }

  /// Prepares an exchange; its transfer begins when it gets its permit. If the transport cannot prepare transfers, waits
  /// for the permit.
  func exchange(on route: Route) async throws(ImageError) -> HTTPExchange {
    let queued = ContinuousClock.now
    let target = try target(of: route)
    guard loader.preparingTransport != nil else { return try await exchange(on: route, to: target) { route } }
    let permit = loader.limiter.newPermit()
    if Task.isCancelled { throw .cancelled }
    let transfer = transfer(on: route, permit)
    permit.request(target, load.subscription) { [self] outcome in
      transfer?.receive(outcome.flatMap { loader.admit(request) })
    }
    return HTTPExchange(
      on: route, to: target, queued: queued, permit: permit, transfer: transfer,
      hasWaited: transfer?.beginning == nil)
  }

  func target(of route: Route) throws(ImageError) -> HTTPURL {
    let url = route.request.url
    guard let target = url == request.target?.url ? request.target : HTTPURL(url) else {
      throw .invalidURL(url.absoluteString)
    }
    return target
  }

  /// A transfer that has not begun; `nil` if the transport cannot prepare any.
  func transfer(on route: Route, _ permit: ConnectionLimiter.Permit) -> QueuedTransfer? {
    loader.preparingTransport.map { transport in
      QueuedTransfer(transport.prepare(route.request) { permit.release($0) }, time: configuration.time)
    }
  }

  private func perform(_ exchange: HTTPExchange) async throws(ImageError) -> Step {
    var head: TransportHead?
    defer { exchange.permit.release(head) }
    if exchange.route.isResumed { request.requestsRange = true }
    let reply =
      if let transfer = exchange.transfer {
        try reply(try await transfer.response(from: exchange.request.url), to: exchange, by: transfer)
      } else {
        try await send(exchange)
      }
    head = TransportHead(status: reply.response.status, headers: reply.response.headers)
    load.report(.responded(status: reply.response.status, url: reply.request.url.withoutCredentials))
    defer {
      let timings = reply.response.body.transferTimings
      load.record { trace in
        trace.add(.transfer, since: reply.began)
        trace.transfer = timings
      }
    }
    return try await step(after: reply)
  }

  /// The response of a prepared transfer.
  private func reply(
    _ response: TransportResponse, to exchange: HTTPExchange, by transfer: QueuedTransfer
  ) throws(ImageError) -> HTTPReply {
    guard let beginning = transfer.beginning else { throw .cancelled }
    if let queued = exchange.queued { load.record { $0.add(.queue, since: queued, until: beginning.instant) } }
    return HTTPReply(to: exchange, began: beginning.instant, sent: beginning.date, response: response)
  }

  /// Waits for the head of the response.
  private func send(_ exchange: HTTPExchange) async throws(ImageError) -> HTTPReply {
    let (began, sent) = (ContinuousClock.now, configuration.time.now())
    do {
      let response = try await configuration.transport.response(to: exchange.request)
      return HTTPReply(to: exchange, began: began, sent: sent, response: response)
    } catch {
      throw ImageError(transferring: exchange.request.url, error)
    }
  }

  private func step(after reply: HTTPReply) async throws(ImageError) -> Step {
    let (head, response) = (reply.head, reply.response)
    if let hop = try hop(after: reply) {
      await response.body.drain(atMost: response.expectedByteCount)
      return .follow(hop)
    }
    let isResumed = reply.route.isResumed
    switch head.status {
    case 304 where reply.route.isConditional:
      await response.body.drain(atMost: 0)
      let head = metadata(of: reply, continuing: nil)
      return .finish(HTTPResponse(nil, head, isStorable: reply.route.isStorable))
    case 206 where isResumed && request.partial?.isContinued(by: head.headers) == false:
      request.partial = nil
      return .finish(nil)
    case 206 where isResumed:
      return .finish(try await body(of: reply, continuing: request.partial))
    // No content (RFC 9110, 15.3.5 and 15.3.6), whatever `Content-Length` says.
    case 204, 205:
      throw .emptyResponse(url: head.url)
    case 200..<300 where head.status != 206:
      request.partial = nil
      return .finish(try await body(of: reply))
    default:
      request.rejection = HTTPRequest.Rejection(
        head: head, target: reply.exchange.target,
        mayBeExpired: [401, 403].contains(head.status)
          && (request.resolver != nil || reply.exchange.hasWaited && !reply.route.redirects.isEmpty))
      let image = await errorImage(of: reply)
      await response.body.drain(atMost: response.expectedByteCount)
      guard let image else { throw loader.error(of: head) }
      return .finish(image)
    }
  }
}

extension TransportBody {
  /// Reads and discards a short body, so that its connection can be reused.
  fileprivate func drain(atMost byteCount: Int?) async {
    guard let byteCount, byteCount <= 16 << 10 else { return }
    var rest = byteCount
    // A transport may send more than it announced, or empty pieces without end.
    while rest >= 0, let piece = try? await makeAsyncIterator().next(), !piece.isEmpty { rest -= piece.count }
  }
}
