import HalcyonSupport
import Synchronization

/// Runs one job for everyone who asks for the same key at the same time.
///
/// Each waiter leaves when its task is cancelled, and the last one to leave cancels the job. Whoever comes once the job
/// has ended, or has been cancelled, starts a new one. An outcome, failure included, reaches every waiter exactly once.
final class InFlightJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>
  typealias Operation = @Sendable (LoadSubscription) async throws(ImageError) -> Value

  /// What waiters are told that they join; `nil` where nobody listens.
  private let work: PipelineEvent.SharedWork?
  private let jobs = Lock<[Key: Job<Value>]>([:])
  private let lastID = Atomic<UInt64>(0)

  init(_ work: PipelineEvent.SharedWork? = nil) {
    self.work = work
  }

  /// Jobs that have not ended.
  var count: Int { jobs.withLock { $0.count } }

  /// The outcome of the job for `key`, which `operation` starts when there is none.
  ///
  /// - Parameter keepsResult: Whether this waiter wants the value for itself, and not to make another one of it.
  func value(
    for key: Key, interest: LoadSubscription, keepsResult: Bool, operation: @escaping Operation
  ) async throws(ImageError) -> Value {
    if Task.isCancelled { throw .cancelled }
    let id = lastID.add(1, ordering: .relaxed).newValue
    // A caller on an actor, the main one above all, has other things to do than the beginning of the job.
    let caller: (any Actor)? = #isolation
    let startsHere = caller == nil
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waiter = Job<Value>.Waiter(id, interest, keepsResult: keepsResult, continuation)
        join(key, waiter, startsHere: startsHere, operation)
        if Task.isCancelled { leave(key, id) }
      }
    } onCancel: {
      leave(key, id)
    }
    return try outcome.get()
  }

  private func join(
    _ key: Key, _ waiter: Job<Value>.Waiter, startsHere: Bool, _ operation: @escaping Operation
  ) {
    let (job, isNew) = jobs.withLock { jobs in
      if let known = jobs[key] {
        known.add(waiter)
        return (known, false)
      }
      let new = Job(for: waiter)
      jobs[key] = new
      return (new, true)
    }
    waiter.interest.observe(id: waiter.id) { job.updatePriority() }
    if isNew {
      start(job, key, here: startsHere, operation)
    } else {
      if let work { waiter.interest.report(.step(.joined(work))) }
      for event in job.interest.news { waiter.interest.report(event) }
    }
    // It may have changed before it was observed.
    job.updatePriority()
  }

  /// - Parameter here: Whether the work may begin on this thread, up to where it first waits: that spares a switch.
  private func start(_ job: Job<Value>, _ key: Key, here: Bool, _ operation: @escaping Operation) {
    let work = { @Sendable [self] () async in
      let outcome: Outcome
      do throws(ImageError) { outcome = .success(try await operation(job.interest)) } catch {
        outcome = .failure(error)
      }
      finish(job, key, outcome)
    }
    if here, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      job.hold(Task.immediate { await work() })
    } else {
      job.hold(Task { await work() })
    }
  }

  @inline(never)
  private func finish(_ job: Job<Value>, _ key: Key, _ outcome: Outcome) {
    jobs.withLock { jobs in
      if jobs[key] === job { jobs[key] = nil }
    }
    job.finish(outcome)
  }

  private func leave(_ key: Key, _ id: UInt64) {
    let left: (waiter: Job<Value>.Waiter, job: Job<Value>, isLast: Bool)? = jobs.withLock { jobs in
      guard let job = jobs[key], let (waiter, isLast) = job.remove(id) else { return nil }
      if isLast { jobs[key] = nil }
      return (waiter, job, isLast)
    }
    guard let left else { return }
    left.waiter.interest.stopObserving(id: id)
    if left.isLast { left.job.cancel() } else { left.job.updatePriority() }
    left.waiter.continuation.resume(returning: .failure(.cancelled))
  }
}
