/// Lets only so many transfers go on at once, in total and to one host.
///
/// Of those that wait, the most urgent goes first, then the one that came first; a host that is full lets others pass.
final class ConnectionGate: Sendable {
  private struct Waiter {
    let id: UInt64
    let origin: WebOrigin
    let interest: LoadInterest
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var waiters: [Waiter] = []
    var active: [WebOrigin: Int] = [:]
    var total = 0
    var lastID: UInt64 = 0
  }

  private let limit: Int
  private let limitPerHost: Int
  private let state = Lock(State())

  init(limit: Int, limitPerHost: Int) {
    precondition(limit > 0 && limitPerHost > 0, "at least one transfer has to be allowed")
    self.limit = limit
    self.limitPerHost = limitPerHost
  }

  /// Transfers that go on now.
  var activeCount: Int { state.withLock(\.total) }

  /// Transfers that wait for a place.
  var waitingCount: Int { state.withLock(\.waiters.count) }

  /// Waits for a place, runs `body`, and gives the place to the next.
  func run<Value: Sendable>(
    for origin: WebOrigin, interest: LoadInterest, _ body: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter(origin, interest) else { throw .cancelled }
    defer { leave(origin) }
    return try await body()
  }

  private func enter(_ origin: WebOrigin, _ interest: LoadInterest) async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(id: id, origin: origin, interest: interest, continuation: continuation)
        state.withLock { $0.waiters.append(waiter) }
        if Task.isCancelled { giveUp(id) }
        admit()
      }
    } onCancel: {
      giveUp(id)
    }
  }

  private func leave(_ origin: WebOrigin) {
    state.withLock { state in
      state.total -= 1
      let others = (state.active[origin] ?? 1) - 1
      state.active[origin] = others > 0 ? others : nil
    }
    admit()
  }

  private func giveUp(_ id: UInt64) {
    let waiter: Waiter? = state.withLock { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(returning: false)
  }

  private func admit() {
    while let waiter = nextAdmitted() { waiter.continuation.resume(returning: true) }
  }

  private func nextAdmitted() -> Waiter? {
    state.withLock { state in
      guard state.total < limit else { return nil }
      var best: (index: Int, priority: ImagePriority)?
      for (index, waiter) in state.waiters.enumerated() where state.active[waiter.origin, default: 0] < limitPerHost {
        let priority = waiter.interest.priority
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
