import HalcyonSupport

/// Runs asynchronous work one after the other, in the order of the calls.
package final class SerialWork: Sendable {
  private let last = Lock<Task<Void, Never>?>(nil)

  /// Runs `work` after all earlier work, and returns when it has ended, even if the calling task is cancelled.
  package func run(_ work: @escaping @Sendable () async -> Void) async {
    let task = last.withLock { last in
      let task = Task { [previous = last] in
        await previous?.value
        await work()
      }
      last = task
      return task
    }
    await task.value
  }
}
