import Foundation

/// An executor that runs one job at a time and reports when no job is left.
///
/// When it is idle, every task that prefers it is suspended on work elsewhere or has ended, which proves without delays
/// that a task waits. Tasks prefer it when they are created with `executorPreference`, outside actors with an executor of
/// their own.
package final class IdleExecutor: TaskExecutor {
  /// The running job, and those after it.
  private let jobs = Monitor<[UnownedJob]>([])

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
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
  package func waitUntilIdle() async throws(CancellationError) {
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
