import HalcyonCache
import HalcyonSupport
import Foundation

/// Coalesces equal work: one job for all callers that need the same key at the same time.
///
/// A caller leaves when its task is cancelled, and the last one to leave cancels the job. A caller that arrives after the
/// job has ended, or was cancelled, starts a new one. The outcome, success or failure, reaches each caller exactly once.
final class InFlightJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>
  typealias Operation = @Sendable (LoadSubscription) async throws(ImageError) -> Value

  private struct State {
    var jobs: [Key: SharedJob<Value>] = [:]
    var isInvalidated = false
  }

  /// Reported to callers that join a job; `nil` without an event handler.
  private let work: PipelineEvent.SharedWork?
  /// The source of a job, for its errors.
  private let sourceURL: @Sendable (Key) -> URL
  private let state = Lock(State())
  private let lastID = Atomic<UInt64>(0)

  init(_ work: PipelineEvent.SharedWork? = nil, sourceURL: @escaping @Sendable (Key) -> URL) {
    self.work = work
    self.sourceURL = sourceURL
  }

  /// Jobs that have not ended.
  var count: Int { state.withLock { $0.jobs.count } }

  /// The keys of the jobs that have not ended.
  var keys: [Key] { state.withLock { Array($0.jobs.keys) } }

  /// Cancels the jobs of the keys that fulfil a condition; their callers get ``ImageError/cancelled``.
  func cancel(where isIncluded: (Key) -> Bool) {
    let ended = state.withLock { state in
      let ended = state.jobs.filter { isIncluded($0.key) }
      for key in ended.keys { state.jobs[key] = nil }
      return ended
    }
    for job in ended.values { end(job, .cancelled) }
  }

  /// Cancels all jobs; their callers, and all later ones, get ``ImageError/pipelineInvalidated(url:)``.
  func invalidate() {
    let ended = state.withLock { state in
      state.isInvalidated = true
      defer { state.jobs = [:] }
      return state.jobs
    }
    for (key, job) in ended { end(job, .pipelineInvalidated(url: sourceURL(key))) }
  }

  private func end(_ job: SharedJob<Value>, _ error: ImageError) {
    job.finish(.failure(error))
    job.cancel()
  }

  /// The outcome of the job for `key`; `operation` is started if there is none.
  ///
  /// - Parameters:
  ///   - keepsResult: Whether this caller needs the value itself, not only as a step towards another one.
  ///   - writes: The writes to which a cancelled job adds its end; see ``SharedJob/cancel()``.
  ///   - job: The subscription of the job to join; if that is not in flight, the call is cancelled. Default: any.
  ///   - operation: `nil` to start none.
  func value(
    for key: Key, subscription: LoadSubscription, keepsResult: Bool, writes: BackgroundWrites? = nil,
    joining job: LoadSubscription? = nil, operation: Operation? = nil
  ) async throws(ImageError) -> Value {
    if Task.isCancelled { throw .cancelled }
    let id = lastID.add(1)
    // If there is an actor, such as the main actor, no part of the job runs on it.
    let caller: (any Actor)? = #isolation
    let startsHere = caller == nil
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waiter = JobWaiter<Value>(id, subscription, keepsResult: keepsResult, continuation)
        join(key, waiter, writes, job, startsHere: startsHere, operation)
        if Task.isCancelled { leave(key, id) }
      }
    } onCancel: {
      leave(key, id)
    }
    return try outcome.get()
  }

  private func join(
    _ key: Key, _ waiter: JobWaiter<Value>, _ writes: BackgroundWrites?, _ job: LoadSubscription?, startsHere: Bool,
    _ operation: Operation?
  ) {
    // A pattern, since Apple's older systems cannot compare a closure with typed throws with `nil`.
    let hasOperation = if case .none = operation { false } else { true }
    var mayStart: Bool { hasOperation && !Task.isCancelled && !waiter.subscription.onlyJoins }
    let joined: (job: SharedJob<Value>, isNew: Bool, isRaised: Bool)? = state.withLock { state in
      if let known = state.jobs[key], job == nil || job === known.subscription {
        return (known, false, known.add(waiter))
      }
      // Under the lock, so that a cancelled caller does not restart a job that another caller has just left.
      if state.isInvalidated || !mayStart { return nil }
      let new = SharedJob<Value>(writes: writes)
      state.jobs[key] = new
      return (new, true, new.add(waiter))
    }
    guard let (job, isNew, isRaised) = joined else {
      return waiter.resume(returning: .failure(mayStart ? .pipelineInvalidated(url: sourceURL(key)) : .cancelled))
    }
    if isRaised { job.subscription.notifyPriorityObservers() }
    if isNew, let operation {
      start(job, key, here: startsHere, operation)
    } else {
      if let work { waiter.subscription.report(.step(.joined(work))) }
      for event in job.subscription.latestEvents { waiter.subscription.report(event) }
    }
  }

  /// - Parameter here: Whether the operation runs on this thread up to its first suspension; that saves a task switch.
  private func start(_ job: SharedJob<Value>, _ key: Key, here: Bool, _ operation: @escaping Operation) {
    if here, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      job.setTask(Task.immediate { [self] in await run(job, key, operation) })
    } else {
      job.setTask(Task { [self] in await run(job, key, operation) })
    }
  }

  private func run(_ job: SharedJob<Value>, _ key: Key, _ operation: Operation) async {
    let outcome: Outcome
    do throws(ImageError) { outcome = .success(try await operation(job.subscription)) } catch {
      outcome = .failure(error)
    }
    finish(job, key, outcome)
  }

  private func finish(_ job: SharedJob<Value>, _ key: Key, _ outcome: Outcome) {
    state.withLock { state in
      if state.jobs[key] === job { state.jobs[key] = nil }
    }
    job.finish(outcome)
  }

  private func leave(_ key: Key, _ id: UInt64) {
    let left: (waiter: JobWaiter<Value>, job: SharedJob<Value>, isLast: Bool)? = state.withLock { state in
      guard let job = state.jobs[key], let (waiter, isLast) = job.remove(id) else { return nil }
      if isLast { state.jobs[key] = nil }
      return (waiter, job, isLast)
    }
    guard let left else { return }
    if left.isLast { left.job.cancel() } else { left.job.updatePriority() }
    left.waiter.resume(returning: .failure(.cancelled))
  }
}
