import Foundation

/// One attempt at an order: hooks, redirects and credentials included, retries not.
struct WebExchange: Sendable {
  /// What an exchange ends with, if not with an error.
  enum Outcome: Sendable {
    case answer(WebAnswer)
    /// A status outside 200–299; the body was not read.
    case refused(ResponseHead)
  }

  private enum Step {
    case done(Outcome)
    case redirect(TransportRequest)
    /// The rest of a partial body was asked for, and something else came.
    case unusableRest
  }

  let order: WebOrder
  let interest: LoadInterest
  let configuration: ImagePipeline.Configuration
  let gate: ConnectionGate
  let renewals: CredentialRenewals
  let partials: PartialBodies

  /// Asks for the body, and once more where the credentials could be renewed, or what was left of an earlier transfer
  /// is of no use.
  ///
  /// - Parameter partial: What is there of the body; changed to what is there after a failure.
  func run(partial: inout PartialBody?, trace: inout LoadTrace) async throws(ImageError) -> Outcome {
    guard let origin = WebOrigin(order.url) else { throw .invalidURL(order.url.absoluteString) }
    var mayRenew = configuration.requestModifier != nil
    while true {
      let generation = renewals.generation(of: origin)
      guard let outcome = try await follow(origin, partial: &partial, trace: &trace) else {
        partial = nil
        continue
      }
      guard case .refused(let head) = outcome else { return outcome }
      if head.status == 416, partial != nil {
        partial = nil
      } else if head.status == 401, mayRenew, WebOrigin(head.url) == origin {
        mayRenew = false
        guard try await renew(origin, since: generation, head) else { return outcome }
      } else {
        return outcome
      }
    }
  }

  private func renew(_ origin: WebOrigin, since generation: Int, _ head: ResponseHead) async throws(ImageError) -> Bool
  {
    guard let modifier = configuration.requestModifier else { return false }
    let challenge = AuthenticationChallenge(url: head.url, headers: head.headers)
    return try await renewals.renew(origin, since: generation, interest: interest) { () async throws(ImageError) in
      do {
        return try await modifier.renewCredentials(after: challenge)
      } catch {
        throw ImageError(asking: challenge.url, error) { .requestRefused(cause: $0, url: $1) }
      }
    }
  }

  /// - Returns: `nil` when the partial body is of no use.
  private func follow(
    _ origin: WebOrigin, partial: inout PartialBody?, trace: inout LoadTrace
  ) async throws(ImageError) -> Outcome? {
    var request = try await modified(firstRequest(partial))
    for _ in 0...configuration.redirectLimit {
      switch try await exchange(request, partial: &partial, trace: &trace) {
      case .done(let outcome): return outcome
      case .unusableRest: return nil
      case .redirect(let next):
        request = try await accepted(next, after: request)
        if WebOrigin(request.url) == origin { request = try await modified(request) }
      }
    }
    throw .tooManyRedirects(limit: configuration.redirectLimit, url: order.url)
  }

  private func firstRequest(_ partial: PartialBody?) -> TransportRequest {
    var headers = order.headers
    for field in order.cacheFields.fields { headers[field.name] = field.value }
    for field in partial?.requestFields.fields ?? [] { headers[field.name] = field.value }
    return TransportRequest(url: order.url, headers: headers, limits: configuration.transportLimits)
  }

  private func modified(_ request: TransportRequest) async throws(ImageError) -> TransportRequest {
    guard let modifier = configuration.requestModifier else { return request }
    do {
      let modified = try await modifier.modify(request)
      try Task.checkCancellation()
      return modified
    } catch {
      throw ImageError(asking: request.url, error) { .requestRefused(cause: $0, url: $1) }
    }
  }

  private func accepted(
    _ next: TransportRequest, after request: TransportRequest
  ) async throws(ImageError) -> TransportRequest {
    guard let handler = configuration.redirectHandler else { return next }
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
    guard let origin = WebOrigin(request.url) else { throw .invalidURL(request.url.absoluteString) }
    let queued = ContinuousClock.now
    try await gate.enter(origin, interest)
    defer { gate.leave(origin) }
    trace.add(.queue, since: queued)
    let start = ContinuousClock.now
    let sent = configuration.time.now()
    let response = try await response(to: request)
    configuration.tell(.answered(status: response.status, url: request.url.withoutCredentials), to: interest)
    defer {
      trace.add(.transfer, since: start)
      trace.transfer = response.body.transferTimings
    }
    let head = ResponseHead(url: request.url, status: response.status, headers: response.headers)
    if let next = try Redirect.next(after: request, status: head.status, headers: head.headers) {
      await response.body.drain(atMost: response.expectedByteCount)
      return .redirect(next)
    }
    switch head.status {
    case 304 where order.isConditional:
      await response.body.drain(atMost: 0)
      return .done(.answer(.notModified(metadata(head, sent: sent, continuing: nil))))
    case 206 where partial?.isContinued(by: head.headers) == false:
      return .unusableRest
    case 206 where partial != nil:
      return .done(.answer(.body(try await body(response, head, sent: sent, request, partial: &partial))))
    case 200..<300 where head.status != 206:
      partial = nil
      return .done(.answer(.body(try await body(response, head, sent: sent, request, partial: &partial))))
    default:
      await response.body.drain(atMost: response.expectedByteCount)
      return .done(.refused(head))
    }
  }

  private func body(
    _ response: TransportResponse, _ head: ResponseHead, sent: Date, _ request: TransportRequest,
    partial: inout PartialBody?
  ) async throws(ImageError) -> WebBody {
    if let validator = configuration.responseValidator {
      do {
        try await validator(head)
      } catch {
        throw ImageError(asking: head.url, error) { .responseRefused(cause: $0, url: $1) }
      }
    }
    let metadata = self.metadata(head, sent: sent, continuing: partial)
    let isStorable = isStorable(request)
    var collector = BodyCollector(response, url: head.url, continuing: partial, configuration)
    let known = partial
    func beginning(_ data: Data) -> PartialBody? {
      isStorable ? known?.extended(to: data) ?? PartialBody(data: data, metadata: metadata) : nil
    }
    do throws(ImageError) {
      let info = try await collector.collect(response.body, interest: interest) { data in
        if order.cachePolicy.writesStore, let part = beginning(data) { await partials.keep(part, for: order.key) }
      }
      return WebBody(data: collector.data, info: info, metadata: metadata, isStorable: isStorable)
    } catch {
      partial = error.leavesGoodBytes ? beginning(collector.data) : nil
      throw error
    }
  }

  /// A body in two parts has the head of its first answer, renewed by that of the second.
  private func metadata(_ head: ResponseHead, sent: Date, continuing partial: PartialBody?) -> EntryMetadata {
    let now = configuration.time.now()
    let headers = head.headers.storable
    if let partial {
      return partial.metadata.refreshed(by: headers, requestDate: sent, responseDate: now) ?? partial.metadata
    }
    return EntryMetadata(
      url: head.url.withoutCredentials, status: head.status, headers: headers, requestDate: sent, responseDate: now)
  }

  /// Credentials that a modifier added without saying whose they are must not open what others find on the disk.
  private func isStorable(_ request: TransportRequest) -> Bool {
    guard let modifier = configuration.requestModifier, modifier.identity == nil else { return true }
    return ["Authorization", "Cookie", "Proxy-Authorization"].allSatisfy { name in
      request.headers[name] == order.headers[name]
    }
  }

  private func response(to request: TransportRequest) async throws(ImageError) -> TransportResponse {
    do {
      return try await configuration.transport.response(to: request)
    } catch {
      throw ImageError(transferring: request.url, error)
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
    filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
  }
}
