/// Lets only so many transfers go on at once, in total and to one host.
///
/// Of those that wait, the most urgent goes first, then the one that came first; a host that is full lets others pass.
final class ConnectionGate: Sendable {
  fileprivate struct Waiter {
    let id: UInt64
    let origin: WebOrigin
    let interest: LoadInterest
    let continuation: CheckedContinuation<Admission, Never>
  }

  fileprivate enum Admission {
    case admitted
    case givenUp
    case refused(limit: Int)
  }

  fileprivate struct State {
    var limits: ConnectionLimits
    var waiters: [Waiter] = []
    var active: [WebOrigin: Int] = [:]
    var total = 0
    var lastID: UInt64 = 0
  }

  private let state: Lock<State>

  init(limits: ConnectionLimits) {
    state = Lock(State(limits: limits))
  }

  /// How many may go on; may be changed while they do.
  var limits: ConnectionLimits {
    get { state.withLock(\.limits) }
    set {
      state.withLock { $0.limits = newValue }
      admit()
    }
  }

  /// Transfers that go on now.
  var activeCount: Int { state.withLock(\.total) }

  /// Transfers that wait for a place.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Waits for a place, which has to be given back by ``leave(_:)``.
  func enter(_ origin: WebOrigin, _ interest: LoadInterest) async throws(ImageError) {
    switch await place(origin, interest) {
    case .admitted: return
    case .givenUp: throw .cancelled
    case .refused(let limit): throw .tooManyWaiting(limit: limit)
    }
  }

  /// Gives a place to the next.
  func leave(_ origin: WebOrigin) {
    state.withLock { state in
      state.total -= 1
      let others = (state.active[origin] ?? 1) - 1
      state.active[origin] = others > 0 ? others : nil
    }
    admit()
  }

  private func place(_ origin: WebOrigin, _ interest: LoadInterest) async -> Admission {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    interest.observe(id: id) { [weak self] in self?.admit() }
    defer { interest.stopObserving(id: id) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(id: id, origin: origin, interest: interest, continuation: continuation)
        state.withLock { $0.waiters.append(waiter) }
        if Task.isCancelled { giveUp(id) }
        admit()
        refuseOne()
      }
    } onCancel: {
      giveUp(id)
    }
  }

  private func giveUp(_ id: UInt64) {
    let waiter: Waiter? = state.withLock { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(returning: .givenUp)
  }

  private func admit() {
    while let waiter = nextAdmitted() { waiter.continuation.resume(returning: .admitted) }
  }

  /// Where too many wait, the least urgent has to go, and of those the one that came last.
  private func refuseOne() {
    let refused: (waiter: Waiter, limit: Int)? = state.withLock { state in
      let limit = state.limits.waiting
      guard state.waiters.count > limit else { return nil }
      let least = state.waiters.indices.min { left, right in
        let (one, other) = (state.waiters[left].interest.priority, state.waiters[right].interest.priority)
        return one != other ? one < other : left > right
      }
      return least.map { (state.waiters.remove(at: $0), limit) }
    }
    refused?.waiter.continuation.resume(returning: .refused(limit: refused?.limit ?? 0))
  }

  private func nextAdmitted() -> Waiter? {
    state.withLock { state in
      var best: (index: Int, priority: ImagePriority)?
      for (index, waiter) in state.waiters.enumerated() {
        let priority = waiter.interest.priority
        guard state.hasPlace(for: waiter.origin, priority) else { continue }
        if best.map({ priority > $0.priority }) ?? true { best = (index, priority) }
      }
      guard let best else { return nil }
      let waiter = state.waiters.remove(at: best.index)
      state.total += 1
      state.active[waiter.origin, default: 0] += 1
      return waiter
    }
  }
}

extension ConnectionGate.State {
  /// Loads that nobody waits for leave a third of the places free for those that somebody looks at.
  fileprivate func hasPlace(for origin: WebOrigin, _ priority: ImagePriority) -> Bool {
    let share = priority <= .low ? 2.0 / 3 : 1
    return total < max(1, Int(Double(limits.total) * share))
      && active[origin, default: 0] < max(1, Int(Double(limits.perHost) * share))
  }
}
