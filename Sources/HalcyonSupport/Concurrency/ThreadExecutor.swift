/// Runs the jobs of one actor on a thread of its own, so that what blocks there blocks nobody else.
package final class ThreadExecutor: SerialExecutor {
  private let pool: WorkerPool

  /// Starts the thread; it ends with the executor.
  package init(name: String) {
    pool = WorkerPool(name: name, width: 1, lingers: true)
  }

  /// Runs the job after those that came before it.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pool.enqueue { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
