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
    /// A status outside 200–299; the body was not read.
    case errorStatus(ResponseHead)
  }

  private enum Step {
    case done(Outcome)
    indirect case redirect(TransportRequest, after: TransportRequest)
    /// The server did not send the requested range.
    case cannotResume
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
    request.optionsBox?.options.requestModifier ?? loader.configuration.requestModifier
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
      if let outcome, try await isFinal(outcome, partial, since: mayRenew ? generation : nil) { return outcome }
      if case .errorStatus(let head)? = outcome, head.status == 401 { mayRenew = false } else { partial = nil }
    }
  }

  /// Whether another request would not change the outcome.
  ///
  /// - Parameter generation: That of the credentials sent; `nil` if they cannot be renewed.
  @inline(never)
  private func isFinal(
    _ outcome: Outcome, _ partial: PartialBody?, since generation: Int?
  ) async throws(ImageError) -> Bool {
    guard case .errorStatus(let head) = outcome else { return true }
    if head.status == 416 { return partial == nil }
    guard head.status == 401, let generation, Origin(head.url) == request.origin else { return true }
    return !(try await renewCredentials(since: generation, head))
  }

  private func renewCredentials(since generation: Int, _ head: ResponseHead) async throws(ImageError) -> Bool {
    guard let modifier else { return false }
    let link = LoadChain.Link(loader: ObjectIdentifier(loader), key: CacheKey("credentials of \(request.origin)"))
    // The closure that renews them loads from the same origin: its load fails with 401.
    if LoadChain.isCalling(for: link) { return false }
    let challenge = AuthenticationChallenge(url: head.url, headers: head.headers)
    return try await loader.renewals.renew(request.origin, since: generation, subscription: subscription) {
      () async throws(ImageError) in
      try await LoadChain.calling(for: link) { () async throws(ImageError) in
        do {
          return try await modifier.renewCredentials(after: challenge)
        } catch {
          throw ImageError(requesting: challenge.url, error) { .requestRejected(cause: $0, url: $1) }
        }
      }
    }
  }

  /// - Returns: `nil` if the partial body is of no use.
  @inline(never)
  private func followRedirects(
    partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Outcome? {
    switch try await perform(try await firstExchange(partial), partial: &partial, trace: &trace) {
    case .done(let outcome): return outcome
    case .cannotResume: return nil
    case .redirect(let next, let first): return try await follow(next, after: first, partial: &partial, trace: &trace)
    }
  }

  @inline(never)
  private func follow(
    _ redirect: TransportRequest, after first: TransportRequest, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Outcome? {
    var redirects = Redirect.Counter(limit: configuration.redirectLimit, from: request.url)
    var (current, next) = (first, redirect)
    var isStorable = isStorable(first)
    while true {
      try redirects.count()
      current = try await accepted(next, after: current)
      isStorable = isStorable && self.isStorable(current)
      let exchange = try exchange(of: current, isStorable: isStorable)
      switch try await perform(exchange, partial: &partial, trace: &trace) {
      case .done(let outcome): return outcome
      case .cannotResume: return nil
      case .redirect(let further, _): next = further
      }
    }
  }

  @inline(never)
  private func firstExchange(_ partial: PartialBody?) async throws(ImageError) -> HTTPExchange {
    let unmodified = unmodifiedRequest(partial)
    let first = modifier == nil ? unmodified : try await modified(unmodified)
    return try exchange(of: first, isStorable: isStorable(first))
  }

  @inline(never)
  private func unmodifiedRequest(_ partial: PartialBody?) -> TransportRequest {
    var headers = request.headers
    for field in request.cacheFields.fields { headers[field.name] = field.value }
    for field in partial?.requestFields.fields ?? [] { headers[field.name] = field.value }
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

  /// The request of a redirect, as the redirect handler and the modifier return it.
  @inline(never)
  private func accepted(
    _ next: TransportRequest, after current: TransportRequest
  ) async throws(ImageError) -> TransportRequest {
    let accepted = try await acceptedByHandler(next, after: current)
    return modifier != nil && Origin(accepted.url) == request.origin ? try await modified(accepted) : accepted
  }

  private func acceptedByHandler(
    _ next: TransportRequest, after current: TransportRequest
  ) async throws(ImageError) -> TransportRequest {
    guard let handler = request.optionsBox?.options.redirectHandler ?? configuration.redirectHandler else {
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
  private func exchange(of current: TransportRequest, isStorable: Bool) throws(ImageError) -> HTTPExchange {
    let (origin, queued) = (try origin(of: current), ContinuousClock.now)
    let permit = loader.limiter.newPermit()
    let transport = loader.preparingTransport(for: request)
    if Task.isCancelled { throw .cancelled }
    let transfer = transport.map { transport in
      QueuedTransfer(transport.prepare(current) { permit.release() }, time: configuration.time)
    }
    if let transfer { permit.request(origin, subscription) { transfer.receive($0) } }
    return HTTPExchange(
      request: current, isStorable: isStorable, origin: origin, queued: queued, permit: permit, transfer: transfer)
  }

  @inline(never)
  private func perform(
    _ exchange: HTTPExchange, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Step {
    defer { exchange.permit.release() }
    let reply =
      if let transfer = exchange.transfer {
        try reply(try await transfer.response(from: exchange.request.url), to: exchange, trace: &trace)
      } else {
        try await reply(to: exchange, trace: &trace)
      }
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
      return try await (request.optionsBox?.options.transport ?? configuration.transport).response(to: current)
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
      await response.body.drain(atMost: response.expectedByteCount)
      return .redirect(next, after: reply.request)
    }
    switch head.status {
    case 304 where request.cacheFields.isConditional:
      await response.body.drain(atMost: 0)
      return .done(.success(.notModified(metadata(of: reply, continuing: nil))))
    case 206 where partial?.isContinued(by: head.headers) == false:
      return .cannotResume
    case 206 where partial != nil:
      do throws(ImageError) {
        return .done(.success(.response(try await body(of: reply, with: permit, partial: &partial))))
      } catch .transport(.malformedResponse, _) {
        return .cannotResume
      }
    case 200..<300 where head.status != 206:
      partial = nil
      return .done(.success(.response(try await body(of: reply, with: permit, partial: &partial))))
    default:
      await response.body.drain(atMost: response.expectedByteCount)
      return .done(.errorStatus(head))
    }
  }

  private func body(
    of reply: HTTPReply, with permit: ConnectionLimiter.Permit, partial: inout PartialBody?
  ) async throws(ImageError) -> HTTPResponse {
    try await validate(reply, with: permit)
    let metadata = metadata(of: reply, continuing: partial)
    let (isStorable, usesETags) = (reply.isStorable, request.usesETags)
    var reader = BodyReader(
      reply.response, url: reply.request.url, continuing: partial, decoder: request.optionsBox?.options.decoder,
      configuration: configuration)
    let (known, isResumable) = (partial, request.isResumable)
    func partialBody(_ data: Data) -> PartialBody? {
      isStorable && isResumable
        ? known?.extended(to: data) ?? PartialBody(data: data, metadata: metadata, usesETags: usesETags) : nil
    }
    reader.stream = try stream(of: reply.head)
    do throws(ImageError) {
      let transform = transform(of: reply.head)
      let info = try await reader.readAll(
        of: reply.response.body, transform: transform, subscription: subscription
      ) { data in
        guard request.cachePolicy.writesStore, let partial = partialBody(data) else { return }
        await loader.partialBodies(for: request).store(partial, for: request.key)
      }
      return HTTPResponse(data: reader.data, info: info, metadata: metadata, isStorable: isStorable)
    } catch {
      partial = error.allowsResuming ? partialBody(reader.data) : nil
      throw error
    }
  }

  @inline(never)
  private func stream(of head: ResponseHead) throws(ImageError) -> (any StreamTransform)? {
    do {
      return try request.optionsBox?.options.streamTransform?(head)
    } catch {
      throw ImageError(requesting: head.url, error) { .responseRejected(cause: $0, url: $1) }
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
    guard let validator = request.optionsBox?.options.responseValidator ?? configuration.responseValidator else {
      return
    }
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
    if let partial {
      return partial.metadata.refreshed(by: headers, requestDate: reply.sent, responseDate: now) ?? partial.metadata
    }
    return EntryMetadata(
      url: reply.request.url.withoutCredentials, status: reply.response.status, headers: headers,
      requestDate: reply.sent, responseDate: now)
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
