import Synchronization

/// Bounds the requests that are worked on, and the requests that wait.
final class AdmissionLimiter: Sendable {
  private struct State {
    var activeCount = 0
    var nextID: UInt64 = 0
    /// The waiting requests, the first one first.
    var waiters: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let limit: Int
  private let queueLength: Int
  private let state = Mutex(State())

  init(limit: Int, queueLength: Int) {
    (self.limit, self.queueLength) = (limit, queueLength)
  }

  /// The requests that are worked on, and the requests that wait.
  var counts: (active: Int, waiting: Int) { state.withLock { ($0.activeCount, $0.waiters.count) } }

  /// Runs `body` once fewer requests than the limit are worked on.
  ///
  /// - Throws: ``ServiceError/queueFull`` at once if too many wait; `CancellationError`; errors of `body`.
  func run<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await acquire()
    defer { release() }
    return try await body()
  }

  private func acquire() async throws {
    let id = try state.withLock { state throws(ServiceError) -> UInt64? in
      if state.activeCount < limit {
        state.activeCount += 1
        return nil
      }
      guard state.waiters.count < queueLength else { throw .queueFull }
      state.nextID += 1
      return state.nextID
    }
    guard let id else { return }
    let isAdmitted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isAdmitted = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          if state.activeCount < limit {
            state.activeCount += 1
            return true
          }
          state.waiters.append((id, continuation))
          return nil
        }
        if let isAdmitted { continuation.resume(returning: isAdmitted) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
    guard isAdmitted else { throw CancellationError() }
  }

  private func release() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      // The permit passes to the next one.
      if !state.waiters.isEmpty { return state.waiters.removeFirst().continuation }
      state.activeCount -= 1
      return nil
    }
    next?.resume(returning: true)
  }
}
