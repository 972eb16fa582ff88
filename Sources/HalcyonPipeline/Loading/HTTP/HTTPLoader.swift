import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// Sends requests to web servers: fails fast after a recent failure, retries with backoff, and resumes interrupted
/// downloads. One attempt is an ``HTTPAttempt``.
///
/// A refusal with `Retry-After` pauses the host or the URL (``HostQueues``): the load waits in the queue again, and spends
/// nothing of the retry budget.
final class HTTPLoader: Sendable {
  /// A response that refuses a request and says when to send it again.
  struct Refusal {
    let target: HTTPURL
    let status: Int
  }

  /// The attempts of one load.
  private struct Attempts {
    /// The most refusals that do not count.
    private static let freeLimit = 20

    /// The attempts that count for the retry strategy.
    var count = 0
    private var freeCount = 0
    /// The requests that the host had served when it last refused this load.
    private var servedCount: Int?

    /// Records that the host has refused the last attempt. It does not count as an attempt if the host has served other
    /// loads since its previous refusal.
    mutating func recordRefusal(servedCount: Int) {
      defer { self.servedCount = servedCount }
      guard let last = self.servedCount, last != servedCount, freeCount < Self.freeLimit else { return }
      freeCount += 1
      count -= 1
    }
  }

  let configuration: PipelineConfiguration
  let limiter: ConnectionLimiter
  let renewals = CredentialRenewals()
  /// The transport of the pipeline, if it can prepare transfers.
  let preparingTransport: (any PreparingTransport)?
  let failures: FailureMemory
  /// The failures of what is made of bytes that were received: other results of them may succeed.
  let failedResults: FailureMemory
  private let budget: RetryBudget

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    failures = FailureMemory(lifetimes: configuration.failureLifetimes, time: configuration.time)
    failedResults = FailureMemory(lifetimes: configuration.failureLifetimes, time: configuration.time)
    budget = RetryBudget(capacity: configuration.retryBudget)
    limiter = ConnectionLimiter(
      limits: configuration.connectionLimits, newestFirst: configuration.loadsNewestFirst, time: configuration.time)
    preparingTransport = configuration.transport as? any PreparingTransport
  }

  /// Ends renewals of credentials that loads wait for.
  func invalidate() { renewals.invalidate() }

  func load(_ request: HTTPRequest) async throws(ImageError) -> HTTPResponse {
    if !request.load.ignoresRememberedFailures, let error = failures.error(for: request.failureKey) { throw error }
    let attempt = HTTPAttempt(request, by: self)
    if request.resumesDownload { request.partial = await partialBodies(of: request.load)?.stored() }
    request.isPartialStored = request.partial != nil
    var attempts = Attempts()
    while true {
      attempts.count += 1
      let result = await attempt.result()
      if let loaded = try await finish(result, &attempts, of: request) { return loaded }
    }
  }

  /// The result of a successful attempt. After a failed one, waits and returns `nil` for the next attempt.
  @inline(never)
  private func finish(
    _ result: Result<HTTPResponse, ImageError>, _ attempts: inout Attempts, of request: HTTPRequest
  ) async throws(ImageError) -> HTTPResponse? {
    switch result {
    case .success(let response):
      if let origin = request.origin { budget.recordSuccess(of: origin, retryCount: request.retryCount) }
      failures.forget(request.failureKey)
      if request.isPartialStored { await partialBodies(of: request.load)?.remove() }
      return response
    case .failure(let error):
      do throws(ImageError) {
        try await waitForRetry(after: error, &attempts, of: request)
      } catch {
        // The partial body is removed, since the response that continued it was rejected.
        if request.isPartialStored, request.partial == nil { await partialBodies(of: request.load)?.remove() }
        throw error
      }
      return nil
    }
  }

  /// Remembers for a short time, while the redirects are fresh, that the bytes of a key cannot be used.
  ///
  /// - Parameters:
  ///   - head: The response with an error status; `nil` if the failure is another one.
  ///   - memory: Where it is remembered; `nil` is ``failures``.
  func remember(
    _ error: ImageError, for key: CacheKey, after redirects: [EntryMetadata.Redirect], _ head: ResponseHead? = nil,
    in memory: FailureMemory? = nil
  ) {
    let (rules, now) = (configuration.httpCaching, configuration.time.now())
    let lifetime = rules.remainingLifetime(of: redirects, at: now)
    let stated = head.flatMap { head in
      rules.statedLifetime(
        of: EntryMetadata(
          url: head.url, status: head.status, headers: head.headers, requestDate: now, responseDate: now))
    }
    (memory ?? failures).remember(error, for: key, stated: stated, atMost: .seconds(min(lifetime, 1e9)))
  }

  /// Where interrupted downloads of a load are stored; `nil` without a store.
  func partialBodies(of load: Load) -> PartialBodies? {
    configuration.observedStore(of: load.cache).map { PartialBodies(load: load, store: $0) }
  }

  /// Waits until the next attempt, or throws the error of the last one if there is none.
  private func waitForRetry(
    after failed: ImageError, _ attempts: inout Attempts, of request: HTTPRequest
  ) async throws(ImageError) {
    let refusal = refusal(failed, of: request)
    if let refusal { attempts.recordRefusal(servedCount: limiter.servedCount(of: refusal.target.origin)) }
    let failure = FailedAttempt(
      error: failed, attemptCount: attempts.count, retryAfter: request.rejection.flatMap { retryAfter($0.head) })
    var error = failed
    let start = ContinuousClock.now
    let strategy = request.optionsBox?.options.retryStrategy ?? ExponentialBackoff()
    let mayRetry = request.content?.method.isIdempotent ?? true
    // The server may have closed the connection because of the range.
    if error.isWithoutResponse, failure.attemptCount > 1 { _ = request.setPartialAside() }
    // Another transfer of a multiplexed connection may keep it alive.
    if case .transport(.idleTimedOut, _) = error { request.usesNewConnection = true }
    if !Task.isCancelled, !error.isFinal, mayRetry, let delay = await strategy.delay(after: failure),
      refusal != nil || budget.allowsRetry(of: request.origin)
    {
      request.retried = refusal == nil ? error : nil
      request.load.report(.retrying(after: error, attemptCount: failure.attemptCount))
      if let refusal { return limiter.pause(after: refusal, for: delay) }
      do {
        try await configuration.time.sleep(for: delay.clamped)
        if error.isUnreachable { try await configuration.waitUntilOnline() }
        return request.load.record { $0.add(.retryWait, since: start) }
      } catch {
        // Cancelled during the delay.
      }
    }
    if Task.isCancelled {
      error = .cancelled
      if let refusal { limiter.forget(refusal) }
    }
    if error.isTransient || error.allowsResuming { request.restorePartial() }
    remember(error, for: request.failureKey, after: request.redirects, request.rejection?.head)
    if request.load.resolved.storeAccess.writes, let partial = request.partial {
      let write = await partialBodies(of: request.load)?.store(partial)
      // After a cancellation no caller waits, except perhaps ``ImageCache/flush()`` at the end of the program.
      if Task.isCancelled { await write?.value }
    }
    throw error
  }

  private func refusal(_ error: ImageError, of request: HTTPRequest) -> Refusal? {
    guard case .retryLater(_, let status, _) = error else { return nil }
    return request.rejection.map { Refusal(target: $0.target, status: status) }
  }

  /// Whether a request with a permit may be sent: not a retry for which there is no budget, which ends with the failure
  /// before it.
  func admit(_ request: HTTPRequest) -> ConnectionLimiter.Outcome {
    guard let failure = request.retried else { return .success(()) }
    guard budget.spend(for: request.origin) else { return .failure(failure) }
    request.retried = nil
    request.retryCount += 1
    return .success(())
  }

  /// The error of a response with an error status.
  func error(of head: ResponseHead) -> ImageError {
    guard HostQueues.isRefusal(head.status), let delay = retryAfter(head) else {
      return .httpStatus(head.status, url: head.url)
    }
    return .retryLater(after: delay, status: head.status, url: head.url)
  }

  private func retryAfter(_ head: ResponseHead) -> Duration? {
    RetryAfter.delay(in: head.headers, now: configuration.time.now())
  }
}
