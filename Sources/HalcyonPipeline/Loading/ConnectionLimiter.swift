import HalcyonHTTP
import HalcyonSupport

/// Limits how many transfers run at once, in total and for each host.
///
/// Permits are granted by priority, then in the order of the requests; a host at its limit does not block other hosts. A
/// change costs a look at each host with transfers or waiters, not at each waiter.
final class ConnectionLimiter: Sendable {
  /// What becomes of a request for a permit.
  enum Outcome: Sendable {
    case granted
    case cancelled
    /// Too many transfers wait for a permit.
    case rejected(limit: Int)
  }

  private struct Waiter {
    let subscription: LoadSubscription
    let observerID: UInt64
    let onOutcome: @Sendable (Outcome) -> Void

    /// Must be called without locks held.
    func end(_ outcome: Outcome) {
      subscription.stopObserving(observerID)
      onOutcome(outcome)
    }
  }

  private struct State {
    var queues: HostQueues
    var waiters: [UInt64: Waiter] = [:]
    /// The hosts of the permits in use.
    var granted: [UInt64: HostQueues.HostID] = [:]
    var lastID: UInt64 = 0
    /// Whether a thread is granting permits.
    var isGranting = false
  }

  private let state: Lock<State>

  init(limits: ConnectionLimits) {
    state = Lock(State(queues: HostQueues(limits: limits)))
  }

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

  /// The right to run one transfer, once it is granted.
  struct Permit: Sendable {
    fileprivate let limiter: ConnectionLimiter
    fileprivate let id: UInt64

    /// Requests the permit.
    ///
    /// - Parameter onOutcome: Called once, now or later, without locks held, on the thread that releases a permit.
    func request(_ origin: Origin, _ subscription: LoadSubscription, onOutcome: @escaping @Sendable (Outcome) -> Void) {
      limiter.request(id, origin, subscription, onOutcome)
    }

    /// Waits until the permit is granted.
    func acquire(_ origin: Origin, _ subscription: LoadSubscription) async throws(ImageError) {
      let outcome = await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          request(origin, subscription) { continuation.resume(returning: $0) }
          if Task.isCancelled { limiter.cancel(id) }
        }
      } onCancel: {
        limiter.cancel(id)
      }
      switch outcome {
      case .granted: return
      case .cancelled: throw .cancelled
      case .rejected(let limit): throw .tooManyWaiting(limit: limit)
      }
    }

    /// Releases the permit, or cancels the request for it. Idempotent.
    ///
    /// - Returns: Whether the permit was granted and has not been released.
    @discardableResult
    func release() -> Bool { limiter.release(id) }
  }

  /// A permit that has not been requested.
  func newPermit() -> Permit {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return Permit(limiter: self, id: id)
  }

  private func request(
    _ id: UInt64, _ origin: Origin, _ subscription: LoadSubscription,
    _ onOutcome: @escaping @Sendable (Outcome) -> Void
  ) {
    let isGranted = state.withLock { state in
      if let host = state.queues.enterAtOnce(origin, subscription.priority) {
        state.granted[id] = host
        return true
      }
      // Observed before the priority is read, so that no change is missed.
      let observerID = subscription.observePriority { [weak self] in self?.updatePriority(of: id) }
      state.waiters[id] = Waiter(subscription: subscription, observerID: observerID, onOutcome: onOutcome)
      state.queues.enqueue(id, for: origin, subscription.priority)
      return false
    }
    if isGranted { return onOutcome(.granted) }
    grantPermits()
    rejectExcess()
  }

  private func updatePriority(of id: UInt64) {
    state.withLock { state in
      // Read under the lock: of two changes at the same time the later one wins.
      if let waiter = state.waiters[id] { state.queues.updatePriority(of: id, to: waiter.subscription.priority) }
    }
    grantPermits()
  }

  private func cancel(_ id: UInt64) { removeWaiter(id)?.end(.cancelled) }

  private func removeWaiter(_ id: UInt64) -> Waiter? {
    state.withLock { state in
      state.queues.remove(id)
      return state.waiters.removeValue(forKey: id)
    }
  }

  private func release(_ id: UInt64) -> Bool {
    let wasGranted = state.withLock { state in
      guard let host = state.granted.removeValue(forKey: id) else { return false }
      state.queues.leave(host)
      return true
    }
    if wasGranted { grantPermits() } else { cancel(id) }
    return wasGranted
  }

  private func grantPermits() {
    var isFirst = true
    while let waiter = nextGranted(isFirst) {
      isFirst = false
      waiter.end(.granted)
    }
  }

  private func nextGranted(_ isFirst: Bool) -> Waiter? {
    state.withLock { state in
      // A permit that is released at once leads here from within its own outcome: the outer loop goes on, so that the
      // stack does not grow with the queue.
      if isFirst, state.isGranting { return nil }
      while let (id, host) = state.queues.dequeue() {
        guard let waiter = state.waiters.removeValue(forKey: id) else {
          state.queues.leave(host)
          continue
        }
        state.granted[id] = host
        state.isGranting = true
        return waiter
      }
      state.isGranting = false
      return nil
    }
  }

  /// Rejects the request with the lowest priority, the most recent of several, when too many wait.
  private func rejectExcess() {
    let rejected: (waiter: Waiter, limit: Int)? = state.withLock { state in
      guard state.queues.waitingCount > state.queues.limits.waiting, let id = state.queues.leastUrgent else {
        return nil
      }
      state.queues.remove(id)
      return state.waiters.removeValue(forKey: id).map { ($0, state.queues.limits.waiting) }
    }
    if let rejected { rejected.waiter.end(.rejected(limit: rejected.limit)) }
  }
}
