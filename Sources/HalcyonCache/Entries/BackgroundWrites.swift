import HalcyonSupport

/// Writes to a store in the background of loads, with a limit on the bytes that wait to be written.
package final class BackgroundWrites: Sendable {
  /// Above this number of bytes waiting to be written, ``start(byteCount:_:)`` waits for the oldest write.
  private let byteLimit: Int
  private let writes = Lock(WriteOrder<Task<Void, Never>>())

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  /// Starts a write; returns at once unless too many bytes are waiting to be written.
  @discardableResult
  package func start(byteCount: Int, _ write: @escaping @Sendable () async -> Void) async -> Task<Void, Never> {
    // Work without bytes is not waited for: it may itself wait for a write that starts here.
    while let oldest = writes.withLock({ $0.byteCount > byteLimit ? $0.oldest : nil }) { await oldest.value }
    return add(byteCount: byteCount, write)
  }

  /// Starts work that only ``flush()`` waits for, and ``flushWrites()`` if it has bytes.
  @discardableResult
  package func track(byteCount: Int = 0, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    add(byteCount: byteCount, work)
  }

  /// Starts work that starts other work here, which counts as a part of it.
  package func trackWithLater(_ work: @escaping @Sendable () async -> Void) {
    _ = writes.withLock { writes in
      writes.add(byteCount: 0) { [self] id in
        Task {
          await work()
          // Only what was started later, so that no two wait for each other.
          for later in self.writes.withLock({ $0.all(after: id) }) { await later.value }
          end(id)
        }
      }
    }
  }

  /// The writes that have not ended.
  package var pending: [Task<Void, Never>] { writes.withLock(\.all) }

  @discardableResult
  private func add(byteCount: Int, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    writes.withLock { writes in
      writes.add(byteCount: byteCount) { id in
        Task {
          await work()
          end(id)
        }
      }
    }
  }

  /// Waits for all work started before.
  package func flush() async {
    for task in pending { await task.value }
  }

  /// Waits for the writes with bytes that were started before, but not for other work, which may wait for a server.
  package func flushWrites() async {
    for task in writes.withLock(\.allWithBytes) { await task.value }
  }

  private func end(_ id: UInt64) { writes.withLock { $0.remove(id) } }
}
