import Foundation

/// An executor that runs one job at a time and reports when no job is left.
///
/// When it is idle, every task created with it as `executorPreference` is suspended on work elsewhere or has ended: a
/// test can prove without a delay that a task waits. Code of actors with a custom executor does not run on it.
public final class IdleExecutor: TaskExecutor {
  /// The running job, and the jobs after it.
  private let jobs = Monitor<[UnownedJob]>([])

  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasIdle = jobs.update { jobs in
      defer { jobs.append(job) }
      return jobs.isEmpty
    }
    if wasIdle { Thread { [self] in run(job) }.start() }
  }

  /// Suspends until no job runs or is queued.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func waitUntilIdle() async throws(CancellationError) {
    try await jobs.wait { $0.isEmpty }
  }

  /// Runs `first` and all jobs queued meanwhile.
  private func run(_ first: UnownedJob) {
    var next: UnownedJob? = first
    while let job = next {
      job.runSynchronously(on: asUnownedTaskExecutor())
      next = jobs.update { jobs in
        jobs.removeFirst()
        return jobs.first
      }
    }
  }
}
