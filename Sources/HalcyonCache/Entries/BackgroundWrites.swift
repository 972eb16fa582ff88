import HalcyonSupport

/// Writes to a store in the background of loads, with a limit on the bytes that wait to be written.
package final class BackgroundWrites: Sendable {
  private struct State {
    var writes: [UInt64: (task: Task<Void, Never>, byteCount: Int)] = [:]
    var byteCount = 0
    var lastID: UInt64 = 0
  }

  /// Above this number of bytes waiting to be written, ``start(byteCount:_:)`` waits for the oldest write.
  private let byteLimit: Int
  private let state = Lock(State())

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  /// Starts a write; returns at once unless too many bytes are waiting to be written.
  @discardableResult
  package func start(byteCount: Int, _ write: @escaping @Sendable () async -> Void) async -> Task<Void, Never> {
    while let oldest = state.withLock({ state in
      // Work without bytes may itself wait for a write that is to be started here.
      state.byteCount > byteLimit
        ? state.writes.filter { $0.value.byteCount > 0 }.min { $0.key < $1.key }?.value.task : nil
    }) {
      await oldest.value
    }
    return add(byteCount: byteCount, write)
  }

  /// Starts work that only ``flush()`` waits for.
  @discardableResult
  package func track(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    add(byteCount: 0, work)
  }

  /// The writes that have not ended.
  package var pending: [Task<Void, Never>] { state.withLock { $0.writes.values.map(\.task) } }

  @discardableResult
  private func add(byteCount: Int, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    state.withLock { state in
      state.lastID += 1
      let id = state.lastID
      let task = Task {
        await work()
        end(id)
      }
      state.writes[id] = (task, byteCount)
      state.byteCount += byteCount
      return task
    }
  }

  /// Waits for all work started before.
  package func flush() async {
    for task in pending { await task.value }
  }

  private func end(_ id: UInt64) {
    state.withLock { state in
      state.byteCount -= state.writes.removeValue(forKey: id)?.byteCount ?? 0
    }
  }
}
