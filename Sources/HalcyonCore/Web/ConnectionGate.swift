/// Lets only so many transfers go on at once, in total and to one host.
///
/// Of those that wait, the most urgent goes first, then the one that came first; a host that is full lets others pass.
/// A change costs a look at each host that has something to do, not at each that waits.
final class ConnectionGate: Sendable {
  private struct State {
    var lines: ConnectionLines
    /// Not checked ones, which cost an object each: who takes one out resumes it.
    var continuations: [UInt64: UnsafeContinuation<Admission, Never>] = [:]
    var lastID: UInt64 = 0
  }

  private enum Admission {
    case admitted(ConnectionLines.Number)
    case givenUp
    case refused(limit: Int)
  }

  private let state: Lock<State>

  init(limits: ConnectionLimits) {
    state = Lock(State(lines: ConnectionLines(limits: limits)))
  }

  /// How many may go on; may be changed while they do.
  var limits: ConnectionLimits {
    get { state.withLock(\.lines.limits) }
    set {
      state.withLock { $0.lines.limits = newValue }
      admit()
    }
  }

  /// Transfers that go on now.
  var activeCount: Int { state.withLock(\.lines.activeCount) }

  /// Transfers that wait for a place.
  var waitingCount: Int { state.withLock(\.lines.waitingCount) }

  /// The right to one transfer; has to be given back, once.
  struct Place: Sendable {
    fileprivate let gate: ConnectionGate
    fileprivate let line: ConnectionLines.Number

    /// Gives the place to the next.
    func leave() {
      gate.state.withLock { $0.lines.leave(line) }
      gate.admit()
    }
  }

  /// Waits for a place.
  func enter(_ origin: WebOrigin, _ interest: LoadInterest) async throws(ImageError) -> Place {
    if let line = state.withLock({ $0.lines.enterAtOnce(origin, interest.priority) }) {
      return Place(gate: self, line: line)
    }
    switch await admission(to: origin, interest) {
    case .admitted(let line): return Place(gate: self, line: line)
    case .givenUp: throw .cancelled
    case .refused(let limit): throw .tooManyWaiting(limit: limit)
    }
  }

  private func admission(to origin: WebOrigin, _ interest: LoadInterest) async -> Admission {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    interest.observe(id: id) { [weak self] in self?.reorder(id, interest.priority) }
    defer { interest.stopObserving(id: id) }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        state.withLock { state in
          state.continuations[id] = continuation
          state.lines.join(origin, id: id, interest.priority)
        }
        // The priority may have changed before there was anything to reorder.
        reorder(id, interest.priority)
        if Task.isCancelled { giveUp(id) }
        refuseOne()
      }
    } onCancel: {
      giveUp(id)
    }
  }

  private func reorder(_ id: UInt64, _ priority: ImagePriority) {
    state.withLock { $0.lines.reorder(id, priority) }
    admit()
  }

  private func giveUp(_ id: UInt64) {
    let continuation = state.withLock { state in
      state.lines.giveUp(id)
      return state.continuations.removeValue(forKey: id)
    }
    continuation?.resume(returning: .givenUp)
  }

  private func admit() {
    while let (continuation, line) = nextAdmitted() { continuation.resume(returning: .admitted(line)) }
  }

  private func nextAdmitted() -> (UnsafeContinuation<Admission, Never>, ConnectionLines.Number)? {
    state.withLock { state in
      guard let (id, line) = state.lines.admitNext() else { return nil }
      return state.continuations.removeValue(forKey: id).map { ($0, line) }
    }
  }

  /// Where too many wait, the least urgent has to go, and of those the one that came last.
  private func refuseOne() {
    let refused: (continuation: UnsafeContinuation<Admission, Never>, limit: Int)? = state.withLock { state in
      guard state.lines.waitingCount > state.lines.limits.waiting, let id = state.lines.leastUrgent else { return nil }
      state.lines.giveUp(id)
      return state.continuations.removeValue(forKey: id).map { ($0, state.lines.limits.waiting) }
    }
    refused?.continuation.resume(returning: .refused(limit: refused?.limit ?? 0))
  }
}
