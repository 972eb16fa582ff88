import HalcyonCache
import HalcyonSupport
import HalcyonHTTP
import Foundation

/// Loads bodies over the network: remembers failures for a while, tries again, and goes on where a transfer was cut.
final class RetryingHTTPLoader: Sendable {
  let configuration: PipelineConfiguration
  let renewals = CredentialRenewals()
  private let failures: FailureMemory
  private let budget: RetryBudget

  /// Decides which transfers go on at once.
  let gate: ConnectionLimiter
  /// The transport, where it can prepare transfers.
  let preparingTransport: (any PreparingTransport)?

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    failures = FailureMemory(lifetimes: configuration.failureLifetimes, time: configuration.time)
    budget = RetryBudget(capacity: configuration.retryBudget)
    gate = ConnectionLimiter(limits: configuration.connectionLimits)
    preparingTransport = configuration.transport as? any PreparingTransport
  }

  /// Transfers that go on now.
  var activeCount: Int { gate.activeCount }

  /// Remembers for a while that what came is of no use.
  func note(_ error: ImageError, for key: CacheKey) { failures.note(error, for: key) }

  func load(
    _ order: HTTPRequest, interest: LoadSubscription, trace: inout LoadTrace
  ) async throws(ImageError) -> HTTPResult {
    if !order.ignoresFailures, let error = failures.error(for: order.key) { throw error }
    let exchange = HTTPAttempt(order, interest: interest, by: self)
    var partial = mayHavePartial(order) ? await keptPartial(order) : nil
    let hadPartial = partial != nil
    var attemptCount = 0
    while true {
      attemptCount += 1
      let result: Result<HTTPAttempt.Outcome, ImageError>
      do throws(ImageError) {
        result = .success(try await exchange.run(partial: &partial, trace: &trace))
      } catch {
        result = .failure(error)
      }
      if case .success(.answer(let answer)) = result {
        await noteSuccess(of: order, hadPartial: hadPartial)
        return answer
      }
      try await pause(after: result, attemptCount, of: order, partial, interest, trace: &trace)
    }
  }

  @inline(never)
  private func noteSuccess(of order: HTTPRequest, hadPartial: Bool) async {
    budget.noteSuccess()
    failures.forget(order.key)
    if hadPartial { await partialBodies(of: order).remove(for: order.key) }
  }

  func partialBodies(of order: HTTPRequest) -> PartialBodies {
    PartialBodies(cache: order.cache, store: configuration.observed(order.cache.store))
  }

  private func mayHavePartial(_ order: HTTPRequest) -> Bool {
    order.cachePolicy.readsStore && order.cache.store != nil && !order.isConditional
  }

  @inline(never)
  private func keptPartial(_ order: HTTPRequest) async -> PartialBody? {
    await partialBodies(of: order).partial(for: order.key)
  }

  private func failure(_ result: Result<HTTPAttempt.Outcome, ImageError>, _ attemptCount: Int) -> FailedAttempt? {
    switch result {
    case .success(.answer): return nil
    case .failure(let error): return FailedAttempt(error: error, attemptCount: attemptCount)
    case .success(.refused(let head)):
      return FailedAttempt(
        error: .httpStatus(head.status, url: head.url), attemptCount: attemptCount,
        retryAfter: RetryAfter.parse(head.headers["Retry-After"], now: configuration.time.now()))
    }
  }

  /// Waits until the next attempt where the last one failed, or gives up with its error.
  @inline(never)
  private func pause(
    after result: Result<HTTPAttempt.Outcome, ImageError>, _ attemptCount: Int, of order: HTTPRequest,
    _ partial: PartialBody?, _ interest: LoadSubscription, trace: inout LoadTrace
  ) async throws(ImageError) {
    guard let failure = failure(result, attemptCount) else { return }
    var error = failure.error
    let start = ContinuousClock.now
    if error.isTransient, !Task.isCancelled, let delay = await configuration.retryStrategy.delay(after: failure),
      budget.spend()
    {
      configuration.tell(.retrying(after: error, attemptCount: failure.attemptCount), to: interest)
      do {
        try await configuration.time.sleep(for: delay)
        if error.isUnreachable { try await configuration.connectivity?.waitUntilOnline() }
        return trace.add(.retryWait, since: start)
      } catch {
        // Cancelled while it waited.
      }
    }
    if Task.isCancelled { error = .cancelled }
    failures.note(error, for: order.key)
    if order.cachePolicy.writesStore, let partial {
      await partialBodies(of: order).keep(partial, for: order.key)
    }
    throw error
  }
}
