import HalcyonSupport
import Synchronization

/// Coalesces equal work: one job for all callers that need the same key at the same time.
///
/// A caller leaves when its task is cancelled, and the last one to leave cancels the job. A caller that arrives after the
/// job has ended, or was cancelled, starts a new one. The outcome, success or failure, reaches each caller exactly once.
final class InFlightJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>
  typealias Operation = @Sendable (LoadSubscription) async throws(ImageError) -> Value

  /// Reported to callers that join a job; `nil` without an event handler.
  private let work: PipelineEvent.SharedWork?
  private let jobs = Lock<[Key: Job<Value>]>([:])
  private let lastID = Atomic<UInt64>(0)

  init(_ work: PipelineEvent.SharedWork? = nil) {
    self.work = work
  }

  /// Jobs that have not ended.
  var count: Int { jobs.withLock { $0.count } }

  /// The outcome of the job for `key`; `operation` is started if there is none.
  ///
  /// - Parameter keepsResult: Whether this caller needs the value itself, not only as a step towards another one.
  func value(
    for key: Key, subscription: LoadSubscription, keepsResult: Bool, operation: @escaping Operation
  ) async throws(ImageError) -> Value {
    if Task.isCancelled { throw .cancelled }
    let id = lastID.add(1, ordering: .relaxed).newValue
    // An actor, above all the main actor, is not kept busy with the first part of the job.
    let caller: (any Actor)? = #isolation
    let startsHere = caller == nil
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waiter = JobWaiter<Value>(id, subscription, keepsResult: keepsResult, continuation)
        join(key, waiter, startsHere: startsHere, operation)
        if Task.isCancelled { leave(key, id) }
      }
    } onCancel: {
      leave(key, id)
    }
    return try outcome.get()
  }

  private func join(_ key: Key, _ waiter: JobWaiter<Value>, startsHere: Bool, _ operation: @escaping Operation) {
    let (job, isNew) = jobs.withLock { jobs in
      if let known = jobs[key] {
        known.add(waiter)
        return (known, false)
      }
      let new = Job<Value>()
      new.add(waiter)
      jobs[key] = new
      return (new, true)
    }
    job.updatePriority()
    if isNew {
      start(job, key, here: startsHere, operation)
    } else {
      if let work { waiter.subscription.report(.step(.joined(work))) }
      for event in job.subscription.latestEvents { waiter.subscription.report(event) }
    }
  }

  /// - Parameter here: Whether the operation runs on this thread up to its first suspension, which saves a task switch.
  private func start(_ job: Job<Value>, _ key: Key, here: Bool, _ operation: @escaping Operation) {
    let work = { @Sendable [self] () async in
      let outcome: Outcome
      do throws(ImageError) { outcome = .success(try await operation(job.subscription)) } catch {
        outcome = .failure(error)
      }
      finish(job, key, outcome)
    }
    if here, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      job.setTask(Task.immediate { await work() })
    } else {
      job.setTask(Task { await work() })
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
    let left: (waiter: JobWaiter<Value>, job: Job<Value>, isLast: Bool)? = jobs.withLock { jobs in
      guard let job = jobs[key], let (waiter, isLast) = job.remove(id) else { return nil }
      if isLast { jobs[key] = nil }
      return (waiter, job, isLast)
    }
    guard let left else { return }
    if left.isLast { left.job.cancel() } else { left.job.updatePriority() }
    left.waiter.resume(returning: .failure(.cancelled))
  }
}

/// One caller that waits for the outcome of a job.
private final class JobWaiter<Value: Sendable>: Sendable {
  let id: UInt64
  let subscription: LoadSubscription
  let keepsResult: Bool
  /// Not a checked one, which allocates. Resumed by the code that removes the waiter from its job.
  private let continuation: UnsafeContinuation<Result<Value, ImageError>, Never>
  /// 0 before the priority is observed.
  private let observerID = Atomic<UInt64>(0)

  init(
    _ id: UInt64, _ subscription: LoadSubscription, keepsResult: Bool,
    _ continuation: UnsafeContinuation<Result<Value, ImageError>, Never>
  ) {
    self.id = id
    self.subscription = subscription
    self.keepsResult = keepsResult
    self.continuation = continuation
  }

  func observePriority(_ onChange: @escaping @Sendable () -> Void) {
    observerID.store(subscription.observePriority(onChange), ordering: .relaxed)
  }

  func resume(returning outcome: Result<Value, ImageError>) {
    subscription.stopObserving(observerID.load(ordering: .relaxed))
    continuation.resume(returning: outcome)
  }
}

/// One job of ``InFlightJobs`` and its waiters.
private final class Job<Value: Sendable>: Sendable {
  private struct State {
    var waiters: [JobWaiter<Value>] = []
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  /// Apart from the job, since the job's subscription sends events to the waiters and may outlive the job.
  private final class Waiters: Sendable {
    let state = Lock(State())

    func report(_ event: LoadEvent) {
      for waiter in state.withLock({ $0.waiters }) { waiter.subscription.report(event) }
    }
  }

  /// The job's subscription to its operation.
  let subscription: LoadSubscription
  private let waiters: Waiters

  init() {
    let waiters = Waiters()
    self.waiters = waiters
    subscription = LoadSubscription(priority: .veryLow) { waiters.report($0) }
  }

  func add(_ waiter: JobWaiter<Value>) {
    waiters.state.withLock { state in
      state.waiters.append(waiter)
      // Under the lock, so that the end of the job finds the observer and removes it.
      waiter.observePriority { [weak self] in self?.updatePriority() }
    }
    if waiter.keepsResult { subscription.keepResult() }
    if waiter.subscription.wantsPartialData { subscription.requestPartialData() }
  }

  /// Removes a waiter, and returns whether it was the last; `nil` if the job has no such waiter.
  func remove(_ id: UInt64) -> (JobWaiter<Value>, isLast: Bool)? {
    waiters.state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      let waiter = state.waiters.remove(at: index)
      return (waiter, state.waiters.isEmpty)
    }
  }

  /// Sets the highest priority of the waiters.
  func updatePriority() {
    // Set under the lock: of two updates at the same time the later one would else set what it read earlier.
    let isChanged = waiters.state.withLock { state in
      let highest = state.waiters.lazy.map { $0.subscription.priority }.max()
      return highest.map { subscription.setPriority($0) } ?? false
    }
    if isChanged { subscription.notifyPriorityObservers() }
  }

  /// Sets the task that runs the operation, so that ``cancel()`` can cancel it.
  func setTask(_ task: Task<Void, Never>) {
    let isCancelled = waiters.state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let task = waiters.state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// Hands the outcome to all waiters.
  func finish(_ outcome: Result<Value, ImageError>) {
    let waiters = waiters.state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }
}
