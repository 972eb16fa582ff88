import HalcyonCache
import HalcyonSupport

/// One caller that waits for the outcome of a job.
final class JobWaiter<Value: Sendable>: Sendable {
  let id: UInt64
  let subscription: LoadSubscription
  let keepsResult: Bool
  /// Unsafe, since a checked continuation allocates. The code that removes the waiter from its job resumes it.
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
    observerID.store(subscription.observePriority(onChange))
  }

  func resume(returning outcome: Result<Value, ImageError>) {
    subscription.stopObserving(observerID.load())
    continuation.resume(returning: outcome)
  }
}

/// One job of ``InFlightJobs`` and its waiters. Its priority is the highest of theirs, and its events go to all of them.
final class SharedJob<Value: Sendable>: Sendable {
  private struct State {
    var waiters: [JobWaiter<Value>] = []
    var task: Task<Void, Never>?
    var isCancelled = false
    /// Waits for ``task``, if the job was cancelled before its task was known.
    var taskWaiter: UnsafeContinuation<Task<Void, Never>, Never>?
  }

  /// Separate from the job: the job's subscription sends events to the waiters, and may outlive the job.
  private final class Waiters: Sendable {
    let state = Lock(State())

    func report(_ event: LoadEvent) {
      for waiter in state.withLock({ $0.waiters }) { waiter.subscription.report(event) }
    }
  }

  /// The job's subscription to its operation.
  let subscription: LoadSubscription
  private let waiters: Waiters
  private let writes: BackgroundWrites?

  init(writes: BackgroundWrites? = nil) {
    self.writes = writes
    let waiters = Waiters()
    self.waiters = waiters
    subscription = LoadSubscription(priority: .veryLow) { waiters.report($0) }
  }

  /// Adds a waiter. May be called with a lock held.
  ///
  /// - Returns: Whether it raised the priority of ``subscription``, whose observers must then be notified.
  func add(_ waiter: JobWaiter<Value>) -> Bool {
    if waiter.keepsResult { subscription.keepResult() }
    if waiter.subscription.wantsPartialData { subscription.requestPartialData() }
    return waiters.state.withLock { state in
      state.waiters.append(waiter)
      // Under the lock, so that the end of the job finds the observer and removes it. Until then it retains the job.
      waiter.observePriority { self.updatePriority() }
      let priority = waiter.subscription.priority
      return priority > subscription.priority && subscription.setPriority(priority)
    }
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
    // Set under the lock, so that of two concurrent updates none sets a priority that is out of date.
    let isChanged = waiters.state.withLock { state in
      let highest = state.waiters.lazy.map { $0.subscription.priority }.max()
      return highest.map { subscription.setPriority($0) } ?? false
    }
    if isChanged { subscription.notifyPriorityObservers() }
  }

  /// Sets the task that runs the operation, so that ``cancel()`` can cancel it.
  func setTask(_ task: Task<Void, Never>) {
    let (isCancelled, waiter) = waiters.state.withLock { state in
      state.task = task
      defer { state.taskWaiter = nil }
      return (state.isCancelled, state.taskWaiter)
    }
    if isCancelled { task.cancel() }
    waiter?.resume(returning: task)
  }

  /// Cancels the operation, which stores what it has received before it ends; ``ImageCache/flush()`` waits for that.
  func cancel() {
    let task = waiters.state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
    if let task {
      writes?.track { await task.value }
    } else {
      // Cancelling the task also cancels the jobs that it waits for, which track their own ends.
      writes?.trackWithLater { [self] in await runningTask().value }
    }
  }

  private func runningTask() async -> Task<Void, Never> {
    await withUnsafeContinuation { continuation in
      let task = waiters.state.withLock { state in
        if state.task == nil { state.taskWaiter = continuation }
        return state.task
      }
      if let task { continuation.resume(returning: task) }
    }
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
