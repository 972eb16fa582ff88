/// Runs the jobs of one actor on a dedicated thread, so that blocking there does not block other tasks.
package final class ThreadExecutor: SerialExecutor {
  private let pool: WorkerPool

  /// Creates an executor; its thread is started by the first job, and ends like the threads of a ``WorkerPool``.
  package init(name: String) {
    pool = WorkerPool(name: name, width: 1, spins: true)
  }

  /// Runs the job after the jobs enqueued before it.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pool.enqueue { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
