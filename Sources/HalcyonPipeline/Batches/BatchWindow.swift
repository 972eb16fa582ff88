import HalcyonSupport

/// The loads of a batch in flight and the results that have not been taken, together at most the limit.
///
/// Cancels the loads when it is released; they do not retain it.
final class BatchWindow: Sendable {
  typealias Element = BatchResult

  private struct State {
    var waiting: Range<Int>
    var tasks: [Int: Task<Void, Never>] = [:]
    var ended: ArraySlice<Element> = []
    var reader: UnsafeContinuation<Element?, Never>?
    var isCancelled = false
  }

  private let run: BatchRun
  private let limit: Int
  private let state: Lock<State>

  init(_ run: BatchRun, limit: Int) {
    self.run = run
    self.limit = limit
    state = Lock(State(waiting: run.requests.indices))
  }

  deinit { cancel() }

  /// The next result, for one reader at a time; `nil` if there is none, and once the calling task has been cancelled.
  func next() async -> Element? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { reader in
        let next: Element?? = state.withLock { state in
          let first = state.ended.popFirst()
          startLoads(&state)
          if first == nil, !state.tasks.isEmpty {
            state.reader = reader
            return nil
          }
          return .some(first)
        }
        if let next { reader.resume(returning: next) }
      }
    } onCancel: {
      cancel()
    }
  }

  private func startLoads(_ state: inout State) {
    while !state.isCancelled, state.tasks.count + state.ended.count < limit, let index = state.waiting.popFirst() {
      state.tasks[index] = Task { [run, weak self] in
        let element = await run.load(index)
        self?.end(element)
      }
    }
  }

  private func end(_ element: Element) {
    let reader = state.withLock { state in
      guard state.tasks.removeValue(forKey: element.index) != nil else {
        return nil as UnsafeContinuation<Element?, Never>?
      }
      defer { state.reader = nil }
      if state.reader == nil { state.ended.append(element) } else { startLoads(&state) }
      return state.reader
    }
    reader?.resume(returning: element)
  }

  private func cancel() {
    let (tasks, ended, reader) = state.withLock { state in
      defer { (state.tasks, state.ended, state.reader) = ([:], [], nil) }
      state.isCancelled = true
      return (state.tasks, state.ended, state.reader)
    }
    for task in tasks.values { task.cancel() }
    reader?.resume(returning: nil)
    withExtendedLifetime(ended) {}
  }
}
