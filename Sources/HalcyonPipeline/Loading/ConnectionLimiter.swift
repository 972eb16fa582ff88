import HalcyonSupport
import HalcyonHTTP

/// Lets only so many transfers go on at once, in total and to one host.
///
/// Of those that wait, the most urgent goes first, then the one that came first; a host that is full lets others pass.
/// A change costs a look at each host that has something to do, not at each that waits.
final class ConnectionLimiter: Sendable {
  /// What one who asked for a place is told.
  enum Answer: Sendable {
    case admitted
    case givenUp
    case refused(limit: Int)
  }

  private struct State {
    var lines: HostQueues
    /// Those who wait, by the numbers of their places.
    var waiting: [UInt64: @Sendable (Answer) -> Void] = [:]
    /// The hosts of the places that are taken.
    var taken: [UInt64: HostQueues.Number] = [:]
    var lastID: UInt64 = 0
    /// Whether somebody gives places away at this moment.
    var isAdmitting = false
  }

  private let state: Lock<State>

  init(limits: ConnectionLimits) {
    state = Lock(State(lines: HostQueues(limits: limits)))
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

  /// The right to one transfer, once it is asked for and given.
  struct Place: Sendable {
    fileprivate let gate: ConnectionLimiter
    fileprivate let id: UInt64

    /// Asks for the place.
    ///
    /// - Parameter onAnswer: Called once, now or later, by whoever frees a place, on any thread and under no lock.
    func ask(_ origin: Origin, _ interest: LoadSubscription, onAnswer: @escaping @Sendable (Answer) -> Void) {
      gate.ask(id, origin, interest, onAnswer)
    }

    /// Waits for the place.
    func enter(_ origin: Origin, _ interest: LoadSubscription) async throws(ImageError) {
      let answer = await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          ask(origin, interest) { continuation.resume(returning: $0) }
          if Task.isCancelled { gate.giveUp(id) }
        }
      } onCancel: {
        gate.giveUp(id)
      }
      stopObserving(interest)
      switch answer {
      case .admitted: return
      case .givenUp: throw .cancelled
      case .refused(let limit): throw .tooManyWaiting(limit: limit)
      }
    }

    /// Stops minding how urgent it is.
    func stopObserving(_ interest: LoadSubscription) { interest.stopObserving(id: id) }

    /// Gives the place to the next, or stops waiting for it. Further calls do nothing.
    func leave() { gate.leave(id) }
  }

  /// A place to be asked for.
  func newPlace() -> Place {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return Place(gate: self, id: id)
  }

  private func ask(
    _ id: UInt64, _ origin: Origin, _ interest: LoadSubscription, _ onAnswer: @escaping @Sendable (Answer) -> Void
  ) {
    let isAdmitted = state.withLock { state in
      if let line = state.lines.enterAtOnce(origin, interest.priority) {
        state.taken[id] = line
        return true
      }
      state.waiting[id] = onAnswer
      state.lines.join(origin, id: id, interest.priority)
      return false
    }
    if isAdmitted { return onAnswer(.admitted) }
    // Only the interest itself calls this.
    interest.observe(id: id) { [weak self, unowned interest] in self?.reorder(id, interest.priority) }
    // The priority may have changed before it was observed.
    reorder(id, interest.priority)
    refuseOne()
  }

  private func reorder(_ id: UInt64, _ priority: ImagePriority) {
    state.withLock { $0.lines.reorder(id, priority) }
    admit()
  }

  private func giveUp(_ id: UInt64) {
    let onAnswer = state.withLock { state in
      state.lines.giveUp(id)
      return state.waiting.removeValue(forKey: id)
    }
    onAnswer?(.givenUp)
  }

  private func leave(_ id: UInt64) {
    let isTaken = state.withLock { state in
      guard let line = state.taken.removeValue(forKey: id) else { return false }
      state.lines.leave(line)
      return true
    }
    if isTaken { admit() } else { giveUp(id) }
  }

  /// Gives away the places that are free.
  private func admit() {
    var isFirst = true
    while let onAnswer = nextAdmitted(isFirst) {
      isFirst = false
      onAnswer(.admitted)
    }
  }

  private func nextAdmitted(_ isFirst: Bool) -> (@Sendable (Answer) -> Void)? {
    state.withLock { state in
      // Who gives places away looks again: where one is left at once, that leads here from within an answer.
      if isFirst, state.isAdmitting { return nil }
      while let (id, line) = state.lines.admitNext() {
        guard let onAnswer = state.waiting.removeValue(forKey: id) else {
          state.lines.leave(line)
          continue
        }
        state.taken[id] = line
        state.isAdmitting = true
        return onAnswer
      }
      state.isAdmitting = false
      return nil
    }
  }

  /// Where too many wait, the least urgent has to go, and of those the one that came last.
  private func refuseOne() {
    let refused: (onAnswer: @Sendable (Answer) -> Void, limit: Int)? = state.withLock { state in
      guard state.lines.waitingCount > state.lines.limits.waiting, let id = state.lines.leastUrgent else { return nil }
      state.lines.giveUp(id)
      return state.waiting.removeValue(forKey: id).map { ($0, state.lines.limits.waiting) }
    }
    if let refused { refused.onAnswer(.refused(limit: refused.limit)) }
  }
}
