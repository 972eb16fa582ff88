import HalcyonSupport

/// Work took longer than its time budget.
struct TimeBudgetExceeded: Error {
  init() {}
}

/// Runs `work`, and returns when it has ended or its budget is spent, even if it does not notice that it is cancelled then.
///
/// - Throws: The error of the work; ``TimeBudgetExceeded``; `CancellationError` if the calling task is cancelled.
func withTimeBudget<Value: Sendable>(
  _ budget: Duration, time: any TimeSource, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let race = Race<Value>()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      race.start(continuation)
      race.add(
        Task {
          do { race.end(.success(try await work())) } catch { race.end(.failure(error)) }
        })
      race.add(
        Task {
          do { try await time.sleep(for: budget) } catch { return }
          race.end(.failure(TimeBudgetExceeded()))
        })
    }
  } onCancel: {
    race.end(.failure(CancellationError()))
  }
}

/// A continuation that the first of several tasks resumes; the others are cancelled then.
private final class Race<Value: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Value, any Error>?
    var isOver = false
    var tasks: [Task<Void, Never>] = []
  }

  private let state = Lock(State())

  func start(_ continuation: CheckedContinuation<Value, any Error>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.continuation = continuation }
      return state.isOver
    }
    if isOver { continuation.resume(throwing: CancellationError()) }
  }

  func add(_ task: Task<Void, Never>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.tasks.append(task) }
      return state.isOver
    }
    if isOver { task.cancel() }
  }

  func end(_ result: Result<Value, any Error>) {
    let (continuation, tasks) = state.withLock { state in
      defer { (state.continuation, state.isOver, state.tasks) = (nil, true, []) }
      return (state.continuation, state.tasks)
    }
    continuation?.resume(with: result)
    for task in tasks { task.cancel() }
  }
}
