import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// One attempt at a request: modifier, permit, transfer, redirects, credentials and validation, but no retries.
///
/// In small steps with references only, since a thousand loads may wait here for a permit, each with its async frame.
final class HTTPAttempt: Sendable {
  enum Outcome: Sendable {
    case success(HTTPResult)
    /// A status outside 200–299, and the image of the body if the request allows it; else the body was not read.
    case errorStatus(ResponseHead, HTTPResponse?)

    /// A success if there is an image.
    fileprivate var withImageOfError: Outcome {
      if case .errorStatus(_, let image?) = self { .success(.response(image)) } else { self }
    }
  }

  private enum Step {
    case done(Outcome)
    indirect case redirect(Route.Hop)
    /// The server did not send the requested range.
    case cannotResume
  }

  /// How an attempt begins.
  private enum Start {
    case send(HTTPExchange)
    indirect case redirect(Route.Hop)
  }

  private let request: HTTPRequest
  private let subscription: LoadSubscription
  private let loader: HTTPLoader

  init(_ request: HTTPRequest, subscription: LoadSubscription, by loader: HTTPLoader) {
    self.request = request
    self.subscription = subscription
    self.loader = loader
  }

  private var configuration: PipelineConfiguration { loader.configuration }
  private var modifier: (any RequestModifier)? {
    request.optionsBox?.options.requestModifier
  }

  /// Sends the request, and once more if credentials were renewed or the partial body is of no use.
  ///
  /// - Parameter partial: The first bytes of the body, if known; set to those known after a failure.
  @inline(never)
  func result(partial: inout PartialBody?, trace: inout LoadTrace) async -> Result<Outcome, ImageError> {
    do throws(ImageError) {
      return .success(try await run(partial: &partial, trace: &trace))
    } catch {
      return .failure(error)
    }
  }

  private func run(partial: inout PartialBody?, trace: inout LoadTrace) async throws(ImageError) -> Outcome {
    var mayRenew = modifier != nil
    while true {
      let generation = mayRenew ? loader.renewals.generation(of: request.origin) : 0
      let outcome = try await followRedirects(partial: &partial, trace: &trace)
      if let outcome, try await isFinal(outcome, partial, since: mayRenew ? generation : nil) {
        return outcome.withImageOfError
      }
      if case .errorStatus(let head, _)? = outcome, head.status == 401 { mayRenew = false } else { partial = nil }
    }
  }

  /// Whether another request would not change the outcome.
  ///
  /// - Parameter generation: That of the credentials sent; `nil` if they cannot be renewed.
  @inline(never)
  private func isFinal(
    _ outcome: Outcome, _ partial: PartialBody?, since generation: Int?
  ) async throws(ImageError) -> Bool {
    guard case .errorStatus(let head, _) = outcome else { return true }
    if head.status == 416 { return partial == nil }
    guard head.status == 401, let generation, Origin(head.url) == request.origin else { return true }
    return !(try await renewCredentials(since: generation, head))
  }

  private func renewCredentials(since generation: Int, _ head: ResponseHead) async throws(ImageError) -> Bool {
    guard let modifier else { return false }
    let link = LoadChain.Link(loader: ObjectIdentifier(loader), key: CacheKey("credentials of \(request.origin)"))
    // The closure that renews them loads from the same origin: its load fails with 401.
    if LoadChain.isCalling(for: link) { return false }
    return try await loader.renewals.renew(request.origin, since: generation, subscription: subscription) {
      () async throws(ImageError) in
      try await LoadChain.calling(for: link) { () async throws(ImageError) in
        do {
          return try await modifier.renewCredentials(after: head)
        } catch {
          throw ImageError(requesting: head.url, error) { .requestRejected(cause: $0, url: $1) }
        }
      }
    }
  }

  /// - Returns: `nil` if the partial body is of no use.
  @inline(never)
  private func followRedirects(
    partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Outcome? {
    switch try await start(partial) {
    case .redirect(let hop): return try await follow(hop, partial: &partial, trace: &trace)
    case .send(let exchange):
      switch try await perform(exchange, partial: &partial, trace: &trace) {
      case .done(let outcome): return outcome
      case .cannotResume: return nil
      case .redirect(let hop): return try await follow(hop, partial: &partial, trace: &trace)
      }
    }
  }

  @inline(never)
  private func follow(
    _ first: Route.Hop, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Outcome? {
    var redirects = Redirect.Counter(limit: configuration.redirectLimit, from: request.url)
    var hop = first
    while true {
      try redirects.count()
      let route = try await route(over: hop, partial)
      request.redirects.withLock { $0 = route.redirects }
      let (rules, now) = (configuration.httpCaching, configuration.time.now())
      if let stored = route.storedHop(of: request, rules: rules, at: now) {
        hop = stored
      } else if let head = route.storedHead(of: request, rules: rules, at: now) {
        return .success(.notModified(head, isStorable: route.isStorable))
      } else {
        switch try await perform(try exchange(on: route), partial: &partial, trace: &trace) {
        case .done(let outcome): return outcome
        case .cannotResume: return nil
        case .redirect(let further): hop = further
        }
      }
    }
  }

  @inline(never)
  private func start(_ partial: PartialBody?) async throws(ImageError) -> Start {
    request.redirects.withLock { $0 = [] }
    var route = Route(request: unmodifiedRequest())
    route.setConditions(of: request, partial)
    if modifier != nil { route.request = try await modified(route.request) }
    route.isStorable = isStorable(route.request)
    if let hop = route.storedHop(of: request, rules: configuration.httpCaching, at: configuration.time.now()) {
      return .redirect(hop)
    }
    return .send(try exchange(on: route))
  }

  @inline(never)
  private func unmodifiedRequest() -> TransportRequest {
    var headers = request.headers
    for field in request.cacheFields.fields { headers[field.name] = field.value }
    var unmodified = TransportRequest(url: request.url, headers: headers, limits: configuration.transportLimits)
    guard let content = request.content else { return unmodified }
    unmodified.content = content
    if content.body != nil, headers["Content-Type"] == nil {
      unmodified.headers["Content-Type"] = "application/octet-stream"
    }
    return unmodified
  }

  private func modified(_ unmodified: TransportRequest) async throws(ImageError) -> TransportRequest {
    guard let modifier else { return unmodified }
    do {
      let modified = try await modifier.modify(unmodified)
      try Task.checkCancellation()
      return modified
    } catch {
      throw ImageError(requesting: unmodified.url, error) { .requestRejected(cause: $0, url: $1) }
    }
  }

  /// The way over a redirect, to the request that the redirect handler and the modifier return.
  @inline(never)
  private func route(over hop: Route.Hop, _ partial: PartialBody?) async throws(ImageError) -> Route {
    var route = hop.route
    route.redirects.append(hop.redirect)
    route.request = try await acceptedByHandler(hop.next, after: hop.route.request)
    route.setConditions(of: request, partial)
    if modifier != nil, Origin(route.request.url) == request.origin {
      route.request = try await modified(route.request)
    }
    route.isStorable = route.isStorable && isStorable(route.request)
    return route
  }

  private func acceptedByHandler(
    _ next: TransportRequest, after current: TransportRequest
  ) async throws(ImageError) -> TransportRequest {
    guard let handler = request.optionsBox?.options.redirectHandler else {
      return next
    }
    do {
      if let accepted = try await handler(current.url, next) {
        try Task.checkCancellation()
        return accepted
      }
    } catch {
      throw ImageError(requesting: current.url, error) { .requestRejected(cause: $0, url: $1) }
    }
    throw .redirectRejected(to: next.url.printable, from: current.url)
  }

  /// Prepares an exchange; its transfer begins when it gets its permit, if the transport can prepare transfers.
  @inline(never)
  private func exchange(on route: Route) throws(ImageError) -> HTTPExchange {
    let (origin, queued) = (try origin(of: route.request), ContinuousClock.now)
    let permit = loader.limiter.newPermit()
    let transport = loader.preparingTransport
    if Task.isCancelled { throw .cancelled }
    let transfer = transport.map { transport in
      QueuedTransfer(transport.prepare(route.request) { permit.release($0) }, time: configuration.time)
    }
    if let transfer { permit.request(origin, subscription) { transfer.receive($0) } }
    return HTTPExchange(on: route, origin: origin, queued: queued, permit: permit, transfer: transfer)
  }

  @inline(never)
  private func perform(
    _ exchange: HTTPExchange, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Step {
    var head: TransportHead?
    defer { exchange.permit.release(head) }
    let reply =
      if let transfer = exchange.transfer {
        try reply(try await transfer.response(from: exchange.request.url), to: exchange, trace: &trace)
      } else {
        try await reply(to: exchange, trace: &trace)
      }
    head = TransportHead(status: reply.response.status, headers: reply.response.headers)
    return try await receive(reply, with: exchange.permit, partial: &partial, trace: &trace)
  }

  @inline(never)
  private func receive(
    _ reply: HTTPReply, with permit: ConnectionLimiter.Permit, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Step {
    configuration.report(
      .responded(status: reply.response.status, url: reply.request.url.withoutCredentials), to: subscription)
    defer {
      trace.add(.transfer, since: reply.began)
      trace.transfer = reply.response.body.transferTimings
    }
    return try await step(after: reply, with: permit, partial: &partial)
  }

  @inline(never)
  private func origin(of current: TransportRequest) throws(ImageError) -> Origin {
    if current.url == request.url { return request.origin }
    guard let origin = Origin(current.url) else { throw .invalidURL(current.url.absoluteString) }
    return origin
  }

  @inline(never)
  private func reply(to exchange: HTTPExchange, trace: inout LoadTrace) async throws(ImageError) -> HTTPReply {
    try await exchange.permit.acquire(exchange.origin, subscription)
    trace.add(.queue, since: exchange.queued)
    let (began, sent) = (ContinuousClock.now, configuration.time.now())
    let response = try await response(to: exchange.request)
    return HTTPReply(to: exchange, began: began, sent: sent, response: response)
  }

  @inline(never)
  private func reply(
    _ response: TransportResponse, to exchange: HTTPExchange, trace: inout LoadTrace
  ) throws(ImageError) -> HTTPReply {
    guard let beginning = exchange.transfer?.beginning else { throw .cancelled }
    trace.add(.queue, since: exchange.queued, until: beginning.instant)
    return HTTPReply(to: exchange, began: beginning.instant, sent: beginning.date, response: response)
  }

  private func response(to current: TransportRequest) async throws(ImageError) -> TransportResponse {
    do {
      return try await configuration.transport.response(to: current)
    } catch {
      throw ImageError(transferring: current.url, error)
    }
  }

  @inline(never)
  private func step(
    after reply: HTTPReply, with permit: ConnectionLimiter.Permit, partial: inout PartialBody?
  ) async throws(ImageError) -> Step {
    let (head, response) = (reply.head, reply.response)
    if let next = try Redirect.next(after: reply.request, status: head.status, headers: head.headers) {
      let redirect = redirect(of: reply)
      await response.body.drain(atMost: response.expectedByteCount)
      return .redirect(Route.Hop(redirect: redirect, next: next, route: reply.route))
    }
    let isResumed = reply.route.isResumed
    switch head.status {
    case 304 where reply.route.isConditional:
      await response.body.drain(atMost: 0)
      let head = metadata(of: reply, continuing: nil)
      return .done(.success(.notModified(head, isStorable: reply.route.isStorable)))
    case 206 where isResumed && partial?.isContinued(by: head.headers) == false:
      return .cannotResume
    case 206 where isResumed:
      do throws(ImageError) {
        return .done(.success(.response(try await body(of: reply, with: permit, partial: &partial))))
      } catch .transport(.malformedResponse, _) {
        return .cannotResume
      }
    // These have no content (RFC 9110, 15.3.5 and 15.3.6), whatever their length says.
    case 204, 205:
      throw .emptyResponse(head.url)
    case 200..<300 where head.status != 206:
      partial = nil
      return .done(.success(.response(try await body(of: reply, with: permit, partial: &partial))))
    default:
      let image = await errorImage(of: reply, with: permit)
      await response.body.drain(atMost: response.expectedByteCount)
      return .done(.errorStatus(head, image))
    }
  }

  /// The image in the body of an error status, which expires with the lifetime that the response has; `nil` if the request
  /// does not allow it, or the body is not an image.
  @inline(never)
  private func errorImage(of reply: HTTPReply, with permit: ConnectionLimiter.Permit) async -> HTTPResponse? {
    guard request.optionsBox?.options.allowsErrorImage == true, reply.response.status >= 300,
      reply.response.status != 304
    else { return nil }
    var partial: PartialBody?
    guard let response = try? await body(of: reply, with: permit, partial: &partial) else { return nil }
    var metadata = response.metadata
    let lifetime = configuration.httpCaching.remainingExplicitLifetime(of: metadata, at: metadata.responseDate)
    metadata.expiration = lifetime > 0 ? .date(metadata.responseDate.addingTimeInterval(lifetime)) : .expired
    return HTTPResponse(
      data: response.data, info: response.info, metadata: metadata, isStorable: response.isStorable && lifetime > 0)
  }

  private func body(
    of reply: HTTPReply, with permit: ConnectionLimiter.Permit, partial: inout PartialBody?
  ) async throws(ImageError) -> HTTPResponse {
    try await validate(reply, with: permit)
    let metadata = metadata(of: reply, continuing: partial)
    let (isStorable, usesETags) = (reply.route.isStorable, request.usesETags)
    var reader = BodyReader(
      reply.response, url: reply.request.url, continuing: partial, decoder: request.optionsBox?.options.decoder,
      configuration: configuration)
    let (known, isResumable) = (partial, request.isResumable)
    func partialBody(_ data: Data) -> PartialBody? {
      isStorable && isResumable
        ? known?.extended(to: data) ?? PartialBody(data: data, metadata: metadata, usesETags: usesETags) : nil
    }
    do throws(ImageError) {
      let transform = transform(of: reply.head)
      let info = try await reader.readAll(
        of: reply.response.body, transform: transform, subscription: subscription
      ) { data in
        guard request.writesStore, let partial = partialBody(data) else { return }
        await loader.partialBodies(for: request).store(partial, for: request.key)
      }
      return HTTPResponse(data: reader.data, info: info, metadata: metadata, isStorable: isStorable)
    } catch {
      partial = error.allowsResuming ? partialBody(reader.data) : nil
      throw error
    }
  }

  /// The transform of the request, with its errors typed.
  private func transform(of head: ResponseHead) -> BodyReader.Transform? {
    guard let transform = request.optionsBox?.options.dataTransform else { return nil }
    return { data throws(ImageError) in
      do {
        return try await transform(data, head)
      } catch {
        throw ImageError(requesting: head.url, error) { .responseRejected(cause: $0, url: $1) }
      }
    }
  }

  /// Runs the validator without a permit, so that it may load from the same host; the body is read with one again.
  @inline(never)
  private func validate(_ reply: HTTPReply, with permit: ConnectionLimiter.Permit) async throws(ImageError) {
    guard let validator = request.optionsBox?.options.responseValidator else { return }
    let origin = try origin(of: reply.request)
    let wasInUse = permit.release()
    do {
      try await validator(reply.head)
    } catch {
      throw ImageError(requesting: reply.request.url, error) { .responseRejected(cause: $0, url: $1) }
    }
    guard wasInUse else { return }
    do throws(ImageError) {
      try await permit.acquire(origin, subscription)
    } catch .cancelled where !Task.isCancelled {
      // All bytes have been received meanwhile.
    }
  }

  /// The metadata of a resumed body is that of its first response, updated by the second.
  private func metadata(of reply: HTTPReply, continuing partial: PartialBody?) -> EntryMetadata {
    let now = configuration.time.now()
    let headers = reply.response.headers.storable
    var metadata =
      if let partial {
        partial.metadata.refreshed(by: headers, requestDate: reply.sent, responseDate: now) ?? partial.metadata
      } else {
        EntryMetadata(
          url: reply.request.url.withoutCredentials, status: reply.response.status, headers: headers,
          requestDate: reply.sent, responseDate: now)
      }
    metadata.redirects = reply.route.redirects
    return metadata
  }

  private func redirect(of reply: HTTPReply) -> EntryMetadata.Redirect {
    let redirect = EntryMetadata.Redirect(
      status: reply.response.status, headers: reply.response.headers, requestDate: reply.sent,
      responseDate: configuration.time.now())
    return configuration.httpCaching.stored(redirect, requestHeaders: reply.request.headers)
  }

  /// A response to credentials that a modifier without an identity added must not be stored: other users would find it.
  /// Nor must that of a redirect, whose URL may be a secret of the user.
  private func isStorable(_ sent: TransportRequest) -> Bool {
    guard let modifier, modifier.identity == nil else { return true }
    return sent.signature == nil
      && ["Authorization", "Cookie", "Proxy-Authorization"].allSatisfy { name in
        sent.headers[name] == request.headers[name]
      }
  }
}

extension TransportBody {
  /// Reads and discards a short body, so that its connection can be reused.
  fileprivate func drain(atMost byteCount: Int?) async {
    guard let byteCount, byteCount <= 16 << 10 else { return }
    var rest = byteCount
    // A transport may send more than it announced, or nothing at all, without end.
    while rest >= 0, let piece = try? await makeAsyncIterator().next(), !piece.isEmpty { rest -= piece.count }
  }
}

extension HTTPHeaders {
  /// The fields that may be written to disk: none that identify a user.
  fileprivate var storable: HTTPHeaders {
    guard self["Set-Cookie"] != nil || self["Set-Cookie2"] != nil else { return self }
    return filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
  }
}
