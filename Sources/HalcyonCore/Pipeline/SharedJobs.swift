/// Runs one job for everyone who asks for the same key at the same time.
///
/// Each waiter leaves when its task is cancelled, and the last one to leave cancels the job. Whoever comes once the job
/// has ended, or has been cancelled, starts a new one. An outcome, failure included, reaches every waiter exactly once.
final class SharedJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>
  typealias Operation = @Sendable (LoadInterest) async throws(ImageError) -> Value

  private struct Waiter {
    let interest: LoadInterest
    let keepsResult: Bool
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct Job {
    let id: UInt64
    let interest: LoadInterest
    let task: Task<Void, Never>
    var waiters: [UInt64: Waiter]
  }

  private struct State {
    var jobs: [Key: Job] = [:]
    var lastID: UInt64 = 0

    mutating func newID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  private let state = Lock(State())

  /// Jobs that have not ended.
  var count: Int { state.withLock { $0.jobs.count } }

  /// The outcome of the job for `key`, which `operation` starts when there is none.
  ///
  /// - Parameter keepsResult: Whether this waiter wants the value for itself, and not to make another one of it.
  func value(
    for key: Key, interest: LoadInterest, keepsResult: Bool, operation: @escaping Operation
  ) async throws(ImageError) -> Value {
    if Task.isCancelled { throw .cancelled }
    let id = state.withLock { $0.newID() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(interest: interest, keepsResult: keepsResult, continuation: continuation)
        join(key, id, waiter, operation)
        if Task.isCancelled { leave(key, id) }
      }
    } onCancel: {
      leave(key, id)
    }
    return try outcome.get()
  }

  private func join(_ key: Key, _ id: UInt64, _ waiter: Waiter, _ operation: @escaping Operation) {
    let job = state.withLock { state in
      var job = state.jobs[key] ?? start(key, id: state.newID(), for: waiter, operation)
      job.waiters[id] = waiter
      state.jobs[key] = job
      return job
    }
    tell(job.interest, of: waiter)
    waiter.interest.observe(id: id) { [weak self] in self?.updatePriority(of: key) }
    updatePriority(of: key)
    for event in job.interest.news { waiter.interest.report(event) }
  }

  private func tell(_ interest: LoadInterest, of waiter: Waiter) {
    if waiter.keepsResult { interest.keepResult() }
    if waiter.interest.wantsPartialData { interest.wantPartialData() }
  }

  private func start(_ key: Key, id: UInt64, for waiter: Waiter, _ operation: @escaping Operation) -> Job {
    let interest = LoadInterest(priority: waiter.interest.priority) { [weak self] event in
      self?.report(event, for: key, job: id)
    }
    // Before it begins: it may be over before the one who asked goes on.
    tell(interest, of: waiter)
    let task = Task {
      let outcome: Outcome
      do throws(ImageError) { outcome = .success(try await operation(interest)) } catch { outcome = .failure(error) }
      finish(key, job: id, outcome)
    }
    return Job(id: id, interest: interest, task: task, waiters: [:])
  }

  private func finish(_ key: Key, job id: UInt64, _ outcome: Outcome) {
    let waiters: [UInt64: Waiter] = state.withLock { state in
      guard state.jobs[key]?.id == id else { return [:] }
      return state.jobs.removeValue(forKey: key)?.waiters ?? [:]
    }
    for (id, waiter) in waiters {
      waiter.interest.stopObserving(id: id)
      waiter.continuation.resume(returning: outcome)
    }
  }

  private func leave(_ key: Key, _ id: UInt64) {
    let (waiter, abandoned): (Waiter?, Task<Void, Never>?) = state.withLock { state in
      guard let waiter = state.jobs[key]?.waiters.removeValue(forKey: id) else { return (nil, nil) }
      guard state.jobs[key]?.waiters.isEmpty == true else { return (waiter, nil) }
      return (waiter, state.jobs.removeValue(forKey: key)?.task)
    }
    guard let waiter else { return }
    waiter.interest.stopObserving(id: id)
    abandoned?.cancel()
    if abandoned == nil { updatePriority(of: key) }
    waiter.continuation.resume(returning: .failure(.cancelled))
  }

  private func updatePriority(of key: Key) {
    let change: (LoadInterest, ImagePriority)? = state.withLock { state in
      guard let job = state.jobs[key], let highest = job.waiters.values.lazy.map({ $0.interest.priority }).max() else {
        return nil
      }
      return (job.interest, highest)
    }
    if let (interest, highest) = change { interest.priority = highest }
  }

  private func report(_ event: LoadEvent, for key: Key, job id: UInt64) {
    let waiting = state.withLock { state in
      state.jobs[key].flatMap { $0.id == id ? $0.waiters.values.map { $0.interest } : nil } ?? []
    }
    for interest in waiting { interest.report(event) }
  }
}
