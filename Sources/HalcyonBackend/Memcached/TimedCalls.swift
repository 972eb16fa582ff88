#if canImport(CHalcyonMemcached)
import HalcyonSupport

/// Calls that block a thread and have the same timeout.
///
/// A task for each timeout would take longer than the call. One task watches all calls: they end in the order in which
/// they have begun.
final class TimedCalls: Sendable {
  /// A call took longer than the timeout.
  struct TimedOut: Error {}

  /// The calls in flight, the oldest first.
  private final class Calls: Sendable {
    struct State {
      var queue: [any TimedCall] = []
      /// The calls before this index have ended.
      var head = 0
      var isWatched = false

      mutating func removeEnded() {
        while head < queue.count, queue[head].hasEnded { head += 1 }
        guard head > 64 || head == queue.count, head > queue.count / 2 else { return }
        queue.removeFirst(head)
        head = 0
      }
    }

    let state = Lock(State())
  }

  private let timeout: Duration
  private let calls = Calls()
  private let watch = Lock<Task<Void, Never>?>(nil)

  init(timeout: Duration) { self.timeout = timeout.clamped }

  deinit { watch.withLock { $0 }?.cancel() }

  /// Runs `work` on a thread of the pool, and returns when it has ended or the timeout has passed, which includes the wait
  /// for a thread.
  ///
  /// - Throws: The error of the work; ``TimedOut``; `CancellationError` if the calling task is cancelled.
  func run<Value: Sendable>(on pool: WorkerPool, _ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let call = Call<Value>(deadline: SystemTime().uptime() + timeout)
    defer { call.acquire() }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        call.begin(continuation)
        add(call)
        pool.enqueue {
          if !call.hasEnded { call.end(with: Result { try work() }) }
        }
      }
    } onCancel: {
      call.end(with: .failure(CancellationError()))
    }
  }

  /// Calls that may reach their timeout, and some that have ended.
  var watchedCount: Int { calls.state.withLock { $0.queue.count - $0.head } }

  private func add(_ call: any TimedCall) {
    let isWatched = calls.state.withLock { state in
      state.removeEnded()
      state.queue.append(call)
      defer { state.isWatched = true }
      return state.isWatched
    }
    guard !isWatched else { return }
    let task = Task { [calls] in await Self.watch(calls) }
    watch.withLock { $0 = task }
  }

  /// Ends calls at their deadlines, until there are none.
  private static func watch(_ calls: Calls) async {
    while true {
      let next: (any TimedCall)? = calls.state.withLock { state in
        state.removeEnded()
        state.isWatched = state.head < state.queue.count
        return state.isWatched ? state.queue[state.head] : nil
      }
      guard let next else { return }
      do { try await SystemTime().sleep(for: next.deadline - SystemTime().uptime()) } catch { return }
      next.timeOut()
    }
  }
}

private protocol TimedCall: Sendable {
  var deadline: Duration { get }
  var hasEnded: Bool { get }
  func timeOut()
}

/// A continuation that is resumed once: with the result of the call, at its deadline, or when it is cancelled.
private final class Call<Value: Sendable>: TimedCall {
  private struct State: Sendable {
    var continuation: UnsafeContinuation<Value, any Error>?
    var hasEnded = false
  }

  let deadline: Duration
  private let state = Lock(State())

  init(deadline: Duration) { self.deadline = deadline }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func begin(_ continuation: UnsafeContinuation<Value, any Error>) {
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.continuation = continuation }
      return state.hasEnded
    }
    if hasEnded { continuation.resume(throwing: CancellationError()) }
  }

  func end(with result: Result<Value, any Error>) {
    let continuation = state.withLock { state in
      defer { state = State(continuation: nil, hasEnded: true) }
      return state.continuation
    }
    continuation?.resume(with: result)
  }

  func timeOut() { end(with: .failure(TimedCalls.TimedOut())) }

  /// Orders what the thread has written before what the caller reads.
  func acquire() { state.withLock { _ in } }
}
#endif
