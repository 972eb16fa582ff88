import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation

/// One attempt at an order: hooks, redirects and credentials included, retries not.
///
/// In small steps, which are kept from being inlined, and with references only: a frame of an asynchronous function has
/// room for everything in it, and a thousand loads may wait here for a connection.
final class HTTPAttempt: Sendable {
  /// What an exchange ends with, if not with an error.
  enum Outcome: Sendable {
    case answer(HTTPResult)
    /// A status outside 200–299; the body was not read.
    case refused(ResponseHead)
  }

  private enum Step {
    case done(Outcome)
    indirect case redirect(TransportRequest)
    /// The rest of a partial body was asked for, and something else came.
    case unusableRest
  }

  /// What came for one request.
  private struct Answer {
    let request: TransportRequest
    let began: ContinuousClock.Instant
    let sent: Date
    let response: TransportResponse

    var head: ResponseHead { ResponseHead(url: request.url, status: response.status, headers: response.headers) }
  }

  private let order: HTTPRequest
  private let interest: LoadSubscription
  private let web: RetryingHTTPLoader

  init(_ order: HTTPRequest, interest: LoadSubscription, by web: RetryingHTTPLoader) {
    self.order = order
    self.interest = interest
    self.web = web
  }

  private var modifier: (any RequestModifier)? { web.configuration.requestModifier }

  /// Asks for the body, and once more where the credentials could be renewed, or what was left of an earlier transfer
  /// is of no use.
  ///
  /// - Parameter partial: What is there of the body; changed to what is there after a failure.
  func run(partial: inout PartialBody?, trace: inout LoadTrace) async throws(ImageError) -> Outcome {
    var mayRenew = modifier != nil
    while true {
      let generation = mayRenew ? web.renewals.generation(of: order.origin) : 0
      let outcome = try await follow(partial: &partial, trace: &trace)
      if let outcome, try await isFinal(outcome, partial, since: mayRenew ? generation : nil) { return outcome }
      if case .refused(let head)? = outcome, head.status == 401 { mayRenew = false } else { partial = nil }
    }
  }

  /// Whether there is no point in asking again.
  ///
  /// - Parameter generation: That of the credentials which were sent; `nil` where they cannot be renewed.
  @inline(never)
  private func isFinal(
    _ outcome: Outcome, _ partial: PartialBody?, since generation: Int?
  ) async throws(ImageError) -> Bool {
    guard case .refused(let head) = outcome else { return true }
    if head.status == 416 { return partial == nil }
    guard head.status == 401, let generation, Origin(head.url) == order.origin else { return true }
    return !(try await renew(since: generation, head))
  }

  private func renew(since generation: Int, _ head: ResponseHead) async throws(ImageError) -> Bool {
    guard let modifier else { return false }
    let challenge = AuthenticationChallenge(url: head.url, headers: head.headers)
    return try await web.renewals.renew(order.origin, since: generation, interest: interest) {
      () async throws(ImageError) in
      do {
        return try await modifier.renewCredentials(after: challenge)
      } catch {
        throw ImageError(asking: challenge.url, error) { .requestRefused(cause: $0, url: $1) }
      }
    }
  }

  /// - Returns: `nil` when the partial body is of no use.
  private func follow(partial: inout PartialBody?, trace: inout LoadTrace) async throws(ImageError) -> Outcome? {
    let request = try await firstRequest(partial)
    switch try await exchange(request, partial: &partial, trace: &trace) {
    case .done(let outcome): return outcome
    case .unusableRest: return nil
    case .redirect(let next): return try await follow(next, after: request, partial: &partial, trace: &trace)
    }
  }

  @inline(never)
  private func follow(
    _ redirect: TransportRequest, after first: TransportRequest, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Outcome? {
    var (request, next) = (first, redirect)
    for _ in 0..<max(0, web.configuration.redirectLimit) {
      request = try await accepted(next, after: request)
      switch try await exchange(request, partial: &partial, trace: &trace) {
      case .done(let outcome): return outcome
      case .unusableRest: return nil
      case .redirect(let further): next = further
      }
    }
    throw .tooManyRedirects(limit: web.configuration.redirectLimit, url: order.url)
  }

  @inline(never)
  private func firstRequest(_ partial: PartialBody?) async throws(ImageError) -> TransportRequest {
    let request = unmodifiedRequest(partial)
    return modifier == nil ? request : try await modified(request)
  }

  @inline(never)
  private func unmodifiedRequest(_ partial: PartialBody?) -> TransportRequest {
    var headers = order.headers
    for field in order.cacheFields.fields { headers[field.name] = field.value }
    for field in partial?.requestFields.fields ?? [] { headers[field.name] = field.value }
    return TransportRequest(url: order.url, headers: headers, limits: web.configuration.transportLimits)
  }

  private func modified(_ request: TransportRequest) async throws(ImageError) -> TransportRequest {
    guard let modifier else { return request }
    do {
      let modified = try await modifier.modify(request)
      try Task.checkCancellation()
      return modified
    } catch {
      throw ImageError(asking: request.url, error) { .requestRefused(cause: $0, url: $1) }
    }
  }

  @inline(never)
  private func accepted(
    _ next: TransportRequest, after request: TransportRequest
  ) async throws(ImageError) -> TransportRequest {
    let accepted = try await unmodified(next, after: request)
    return modifier != nil && Origin(accepted.url) == order.origin ? try await modified(accepted) : accepted
  }

  private func unmodified(
    _ next: TransportRequest, after request: TransportRequest
  ) async throws(ImageError) -> TransportRequest {
    guard let handler = web.configuration.redirectHandler else { return next }
    do {
      if let accepted = try await handler(request.url, next) {
        try Task.checkCancellation()
        return accepted
      }
    } catch {
      throw ImageError(asking: request.url, error) { .requestRefused(cause: $0, url: $1) }
    }
    throw .redirectRefused(to: next.url.printable, from: request.url)
  }

  private func exchange(
    _ request: TransportRequest, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Step {
    let place = web.gate.newPlace()
    defer { place.leave() }
    let answer = try await answer(to: request, in: place, trace: &trace)
    tell(of: answer.response, to: request)
    defer {
      trace.add(.transfer, since: answer.began)
      trace.transfer = answer.response.body.transferTimings
    }
    return try await step(after: answer, partial: &partial)
  }

  @inline(never)
  private func origin(of request: TransportRequest) throws(ImageError) -> Origin {
    if request.url == order.url { return order.origin }
    guard let origin = Origin(request.url) else { throw .invalidURL(request.url.absoluteString) }
    return origin
  }

  @inline(never)
  private func answer(
    to request: TransportRequest, in place: ConnectionLimiter.Place, trace: inout LoadTrace
  ) async throws(ImageError) -> Answer {
    let origin = try origin(of: request)
    let queued = ContinuousClock.now
    if let transport = web.preparingTransport {
      let transfer = QueuedTransfer(transport.prepare(request) { place.leave() }, time: web.configuration.time)
      return try await answer(to: request, from: origin, by: transfer, in: place, queued, trace: &trace)
    }
    try await place.enter(origin, interest)
    trace.add(.queue, since: queued)
    let (began, sent) = (ContinuousClock.now, web.configuration.time.now())
    return Answer(request: request, began: began, sent: sent, response: try await response(to: request))
  }

  @inline(never)
  private func answer(
    to request: TransportRequest, from origin: Origin, by transfer: QueuedTransfer, in place: ConnectionLimiter.Place,
    _ queued: ContinuousClock.Instant, trace: inout LoadTrace
  ) async throws(ImageError) -> Answer {
    if Task.isCancelled { throw .cancelled }
    place.ask(origin, interest) { transfer.take($0) }
    defer { place.stopObserving(interest) }
    let response = try await transfer.response(from: request.url)
    guard let beginning = transfer.beginning else { throw .cancelled }
    trace.add(.queue, since: queued, until: beginning.instant)
    return Answer(request: request, began: beginning.instant, sent: beginning.date, response: response)
  }

  @inline(never)
  private func tell(of response: TransportResponse, to request: TransportRequest) {
    web.configuration.tell(
      .answered(status: response.status, url: request.url.withoutCredentials), to: interest)
  }

  private func response(to request: TransportRequest) async throws(ImageError) -> TransportResponse {
    do {
      return try await web.configuration.transport.response(to: request)
    } catch {
      throw ImageError(transferring: request.url, error)
    }
  }

  private func step(after answer: Answer, partial: inout PartialBody?) async throws(ImageError) -> Step {
    let (head, response) = (answer.head, answer.response)
    if let next = try Redirect.next(after: answer.request, status: head.status, headers: head.headers) {
      await response.body.drain(atMost: response.expectedByteCount)
      return .redirect(next)
    }
    switch head.status {
    case 304 where order.isConditional:
      await response.body.drain(atMost: 0)
      return .done(.answer(.notModified(metadata(of: answer, continuing: nil))))
    case 206 where partial?.isContinued(by: head.headers) == false:
      return .unusableRest
    case 206 where partial != nil:
      return .done(.answer(.body(try await body(of: answer, partial: &partial))))
    case 200..<300 where head.status != 206:
      partial = nil
      return .done(.answer(.body(try await body(of: answer, partial: &partial))))
    default:
      await response.body.drain(atMost: response.expectedByteCount)
      return .done(.refused(head))
    }
  }

  private func body(of answer: Answer, partial: inout PartialBody?) async throws(ImageError) -> HTTPResponse {
    try await validate(answer.head)
    let metadata = metadata(of: answer, continuing: partial)
    let isStorable = isStorable(answer.request)
    var collector = BodyCollector(answer.response, url: answer.request.url, continuing: partial, by: web)
    let known = partial
    func beginning(_ data: Data) -> PartialBody? {
      isStorable ? known?.extended(to: data) ?? PartialBody(data: data, metadata: metadata) : nil
    }
    do throws(ImageError) {
      let info = try await collector.collect(answer.response.body, interest: interest) { data in
        guard order.cachePolicy.writesStore, let part = beginning(data) else { return }
        await web.partialBodies(of: order).keep(part, for: order.key)
      }
      return HTTPResponse(data: collector.data, info: info, metadata: metadata, isStorable: isStorable)
    } catch {
      partial = error.leavesGoodBytes ? beginning(collector.data) : nil
      throw error
    }
  }

  private func validate(_ head: ResponseHead) async throws(ImageError) {
    guard let validator = web.configuration.responseValidator else { return }
    do {
      try await validator(head)
    } catch {
      throw ImageError(asking: head.url, error) { .responseRefused(cause: $0, url: $1) }
    }
  }

  /// A body in two parts has the head of its first answer, renewed by that of the second.
  private func metadata(of answer: Answer, continuing partial: PartialBody?) -> EntryMetadata {
    let now = web.configuration.time.now()
    let headers = answer.response.headers.storable
    if let partial {
      return partial.metadata.refreshed(by: headers, requestDate: answer.sent, responseDate: now) ?? partial.metadata
    }
    return EntryMetadata(
      url: answer.request.url.withoutCredentials, status: answer.response.status, headers: headers,
      requestDate: answer.sent, responseDate: now)
  }

  /// Credentials that a modifier added without saying whose they are must not open what others find on the disk.
  private func isStorable(_ request: TransportRequest) -> Bool {
    guard let modifier, modifier.identity == nil else { return true }
    return ["Authorization", "Cookie", "Proxy-Authorization"].allSatisfy { name in
      request.headers[name] == order.headers[name]
    }
  }
}

extension TransportBody {
  /// Reads a body that nobody wants, where it is short: the connection can then be used again.
  fileprivate func drain(atMost byteCount: Int?) async {
    guard let byteCount, byteCount <= 16 << 10 else { return }
    while let piece = try? await makeAsyncIterator().next() { _ = piece }
  }
}

extension HTTPHeaders {
  /// What may be written to disk: not what identifies a user.
  fileprivate var storable: HTTPHeaders {
    guard self["Set-Cookie"] != nil || self["Set-Cookie2"] != nil else { return self }
    return filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
  }
}
