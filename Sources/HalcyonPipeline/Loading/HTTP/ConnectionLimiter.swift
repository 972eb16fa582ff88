import HalcyonHTTP
import HalcyonSupport

/// Limits how many transfers run at once, in total and for each host.
///
/// Permits are granted by priority, then in the order of the requests or the newest first; a host at its limit, or one
/// that is paused (``HostQueues``), does not block other hosts. A change takes O(log n) for n hosts and waiters.
final class ConnectionLimiter: Sendable {
  /// The outcome of a request for a permit: granted, cancelled, or rejected because too many wait.
  typealias Outcome = Result<Void, ImageError>

  /// The longest pause without a decision of a retry strategy, which may choose a longer one.
  private static let longestPause = Duration.seconds(30)

  private struct Waiter {
    let target: HTTPURL
    let subscription: LoadSubscription
    let observerID: UInt64
    let onOutcome: @Sendable (Outcome) -> Void

    /// Must be called without locks held.
    func end(_ outcome: Outcome, of id: UInt64) {
      subscription.stopObserving(observerID)
      subscription.report(.queue(QueueState(permit: id, isWaiting: false)))
      onOutcome(outcome)
    }
  }

  private struct State {
    var queues: HostQueues
    var waiters: [UInt64: Waiter] = [:]
    /// The permits in use.
    var granted: [UInt64: HostQueues.Transfer] = [:]
    var lastID: UInt64 = 0
    /// Whether a thread is granting permits.
    var isGranting = false
    /// Waits for the end of a pause.
    var timer: (end: Duration, task: Task<Void, Never>)?
  }

  private let state: Lock<State>
  private let time: any TimeSource

  init(limits: ConnectionLimits, newestFirst: Bool = false, time: any TimeSource = SystemTime()) {
    self.time = time
    state = Lock(State(queues: HostQueues(limits: limits, newestFirst: newestFirst)))
  }

  deinit { state.withLock { $0.timer }?.task.cancel() }

  /// The limits in force. A change does not interrupt transfers.
  var limits: ConnectionLimits {
    get { state.withLock(\.queues.limits) }
    set {
      state.withLock { $0.queues.limits = newValue }
      grantPermits()
    }
  }

  /// Permits in use.
  var activeCount: Int { state.withLock(\.queues.activeCount) }

  /// Requests that wait for a permit.
  var waitingCount: Int { state.withLock(\.queues.waitingCount) }

  /// Grants no permits for a host, or one of its URLs, for some time after a refusal; see ``HostQueues``.
  func pause(after refusal: HTTPLoader.Refusal, for duration: Duration) {
    let end = time.uptime() + duration.clamped
    state.withLock { $0.queues.pause(refusal.target, status: refusal.status, until: end) }
    updateTimer()
  }

  /// Forgets the refusal of a URL for which no load waits any longer.
  func forget(_ refusal: HTTPLoader.Refusal) {
    state.withLock { $0.queues.forget(refusal.target) }
    grantPermits()
  }

  /// The requests that a host has served since it first refused one.
  func servedCount(of origin: Origin) -> Int { state.withLock { $0.queues.servedCount(of: origin) } }

  /// A permit that has not been requested.
  func newPermit() -> Permit {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return Permit(limiter: self, id: id)
  }

  private func updatePriority(of id: UInt64) {
    state.withLock { state in
      // Read under the lock, so that the later of two concurrent changes wins.
      if let waiter = state.waiters[id] { state.queues.updatePriority(of: id, to: waiter.subscription.priority) }
    }
    grantPermits()
  }

  /// The uptime until which a response asks to send no such requests. Applied at once, before other loads of the server
  /// are refused too.
  private func pauseEnd(after head: TransportHead) -> Duration? {
    guard HostQueues.isRefusal(head.status), let delay = RetryAfter.delay(in: head.headers, now: time.now()),
      delay <= Self.longestPause
    else { return nil }
    return time.uptime() + delay
  }

  private func grantPermits() {
    var isFirst = true
    while let (id, waiter) = nextGranted(isFirst) {
      isFirst = false
      waiter.end(.success(()), of: id)
    }
    updateTimer()
  }

  /// Sets the timer to the first end of a pause with waiting requests.
  private func updateTimer() {
    let replaced: Task<Void, Never>? = state.withLock { state in
      let end = state.queues.nextPauseEnd()
      guard end != state.timer?.end else { return nil }
      defer { state.timer = end.map { ($0, timer(until: $0)) } }
      return state.timer?.task
    }
    replaced?.cancel()
  }

  private func timer(until end: Duration) -> Task<Void, Never> {
    Task { [weak self, time] in
      let delay = end - time.uptime()
      // A clock that fails ends the pause too, since the loads would otherwise wait for ever.
      try? await time.sleep(for: max(delay, .zero))
      guard !Task.isCancelled, let self else { return }
      state.withLock { state in
        state.queues.endPauses(at: end)
        if state.timer?.end == end { state.timer = nil }
      }
      grantPermits()
    }
  }

  private func nextGranted(_ isFirst: Bool) -> (UInt64, Waiter)? {
    state.withLock { state in
      // A callback may release its permit and call this again: the outer call grants the next permits, so that the
      // stack does not grow with the queue.
      if isFirst, state.isGranting { return nil }
      while let (id, transfer) = state.queues.dequeue() {
        guard let waiter = state.waiters.removeValue(forKey: id) else {
          state.queues.end(transfer, status: nil)
          continue
        }
        state.granted[id] = transfer
        state.isGranting = true
        return (id, waiter)
      }
      state.isGranting = false
      return nil
    }
  }

  /// When too many requests wait, rejects the one with the lowest priority that would start last.
  private func rejectExcess() {
    let rejected: (id: UInt64, waiter: Waiter, limit: Int)? = state.withLock { state in
      let limit = state.queues.limits.waiting
      guard state.queues.waitingCount > limit, let id = state.queues.waiterToReject() else { return nil }
      state.queues.remove(id)
      return state.waiters.removeValue(forKey: id).map { (id, $0, limit) }
    }
    guard let (id, waiter, limit) = rejected else { return }
    waiter.end(.failure(.tooManyWaiting(limit: limit, url: waiter.target.url)), of: id)
  }

  /// The right to run one transfer, once it is granted.
  struct Permit: Sendable {
    fileprivate let limiter: ConnectionLimiter
    fileprivate let id: UInt64

    /// Requests the permit.
    ///
    /// - Parameter onOutcome: Called once, now or later, without locks held, on the thread that releases a permit.
    func request(_ target: HTTPURL, _ subscription: LoadSubscription, onOutcome: @escaping @Sendable (Outcome) -> Void)
    {
      if enterAtOnce(target, subscription.priority) { return onOutcome(.success(())) }
      // Reported before the permit can be granted, so that the grant is reported last.
      subscription.report(.queue(QueueState(permit: id, isWaiting: true)))
      limiter.state.withLock { state in
        // Observed before the priority is read, so that no change is missed.
        let observerID = subscription.observePriority { [weak limiter, id] in limiter?.updatePriority(of: id) }
        state.waiters[id] = Waiter(
          target: target, subscription: subscription, observerID: observerID, onOutcome: onOutcome)
        state.queues.enqueue(id, for: target, subscription.priority)
      }
      limiter.grantPermits()
      limiter.rejectExcess()
    }

    /// Takes the permit, if nothing waits and the limits allow it.
    ///
    /// The closure of a caller that runs with a permit may load images itself. Their loads get permits beyond the limits,
    /// since those that they would wait for may wait for them.
    private func enterAtOnce(_ target: HTTPURL, _ priority: ImagePriority) -> Bool {
      let (now, isNested) = (limiter.time.uptime(), LoadChain.hasPermit)
      return limiter.state.withLock { state in
        state.queues.endPauses(at: now)
        guard let transfer = state.queues.enterAtOnce(target, priority, exceedsLimits: isNested) else { return false }
        state.granted[id] = transfer
        return true
      }
    }

    /// Waits until the permit is granted.
    ///
    /// - Returns: Whether it was not granted at once.
    @discardableResult
    func acquire(_ target: HTTPURL, _ subscription: LoadSubscription) async throws(ImageError) -> Bool {
      if enterAtOnce(target, subscription.priority) { return false }
      let outcome = await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          request(target, subscription) { continuation.resume(returning: $0) }
          if Task.isCancelled { cancel() }
        }
      } onCancel: {
        cancel()
      }
      try outcome.get()
      return true
    }

    /// Releases the permit, or cancels the request for it. Idempotent.
    ///
    /// - Parameter head: The head of the response, if one was received.
    /// - Returns: Whether the permit was granted and has not been released.
    @discardableResult
    func release(_ head: TransportHead? = nil) -> Bool {
      let pauseEnd = head.flatMap { limiter.pauseEnd(after: $0) }
      let wasGranted = limiter.state.withLock { state in
        guard let transfer = state.granted.removeValue(forKey: id) else { return false }
        state.queues.end(transfer, status: head?.status, pausedUntil: pauseEnd)
        return true
      }
      if wasGranted { limiter.grantPermits() } else { cancel() }
      return wasGranted
    }

    private func cancel() {
      let waiter = limiter.state.withLock { state in
        state.queues.remove(id)
        return state.waiters.removeValue(forKey: id)
      }
      guard let waiter else { return }
      waiter.end(.failure(.cancelled), of: id)
      // The host may have been paused because of the cancelled load.
      limiter.grantPermits()
    }
  }
}
