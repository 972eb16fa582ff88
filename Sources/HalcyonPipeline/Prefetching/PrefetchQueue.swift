import HalcyonSupport

/// The queue of images to prefetch, and the loads in flight: at most ``ImagePrefetcher/concurrencyLimit`` of them.
final class PrefetchQueue: Sendable {
  private struct Run {
    let subscription: LoadSubscription
    let task: Task<Void, Never>
  }

  private struct Item {
    let request: ImageRequest
    var batches: [PrefetchBatch] = []
    var run: Run?
  }

  private struct State {
    var priority: ImagePriority
    var concurrencyLimit: Int
    var isPaused = false
    /// Batches that are not queued yet, since their caller's actor is busy.
    var announced: [ObjectIdentifier: PrefetchBatch] = [:]
    var items: [PrefetchKey: Item] = [:]
    /// The keys in the order of their start. Keys without an item, or whose item is running, are skipped.
    var waiting: ArraySlice<PrefetchKey> = []
    var runningCount = 0
  }

  private let load: @Sendable (ImageRequest, LoadSubscription) async -> PrefetchBatch.Outcome
  private let state: Lock<State>

  init(
    priority: ImagePriority, concurrencyLimit: Int,
    load: @escaping @Sendable (ImageRequest, LoadSubscription) async -> PrefetchBatch.Outcome
  ) {
    self.load = load
    state = Lock(State(priority: priority, concurrencyLimit: concurrencyLimit))
  }

  var priority: ImagePriority {
    get { state.withLock(\.priority) }
    set {
      let subscriptions = state.withLock { state in
        state.priority = newValue
        return state.items.values.compactMap(\.run?.subscription)
      }
      for subscription in subscriptions { subscription.priority = newValue }
    }
  }

  var concurrencyLimit: Int {
    get { state.withLock(\.concurrencyLimit) }
    set {
      state.withLock { $0.concurrencyLimit = newValue }
      startNext()
    }
  }

  var isPaused: Bool {
    get { state.withLock(\.isPaused) }
    set {
      state.withLock { $0.isPaused = newValue }
      startNext()
    }
  }

  /// Registers a batch before it is queued, so that it can be stopped.
  func announce(_ batch: PrefetchBatch) {
    state.withLock { $0.announced[ObjectIdentifier(batch)] = batch }
  }

  /// Queues an announced batch, unless it has been stopped.
  @concurrent func begin(_ batch: PrefetchBatch) async {
    state.withLock { state in
      guard state.announced.removeValue(forKey: ObjectIdentifier(batch)) != nil else { return }
      for key in batch.keys {
        guard let request = batch.pendingRequest(for: key) else { continue }
        if state.items[key] == nil { state.waiting.append(key) }
        state.items[key, default: Item(request: request)].batches.append(batch)
      }
    }
    startNext()
  }

  /// Stops all batches.
  func stop() {
    let (keys, batches) = state.withLock { state in
      defer { state.announced = [:] }
      return (Array(state.items.keys), Array(state.announced.values))
    }
    for batch in batches { batch.cancel() }
    withdraw(keys, of: nil)
  }

  /// Stops one batch. Images that are part of another batch continue to load.
  func stop(_ batch: PrefetchBatch) {
    let announced = state.withLock { $0.announced.removeValue(forKey: ObjectIdentifier(batch)) }
    if announced == nil { withdraw(batch.keys, of: batch) }
    batch.cancel()
  }

  /// Stops the images of `keys` in all batches.
  func stop(_ keys: [PrefetchKey]) {
    for batch in state.withLock({ Array($0.announced.values) }) {
      for key in keys { batch.end(key, .failure(.cancelled)) }
    }
    withdraw(keys, of: nil)
  }
}

extension PrefetchQueue {
  private func startNext() {
    state.withLock { state in
      while !state.isPaused, state.runningCount < state.concurrencyLimit, let key = state.waiting.popFirst() {
        guard let item = state.items[key], item.run == nil else { continue }
        state.runningCount += 1
        state.items[key]?.run = run(item.request, key, priority: state.priority)
      }
    }
  }

  private func run(_ request: ImageRequest, _ key: PrefetchKey, priority: ImagePriority) -> Run {
    let subscription = LoadSubscription(priority: priority)
    let task = Task {
      let outcome = await load(request, subscription)
      end(key, subscription, outcome)
    }
    return Run(subscription: subscription, task: task)
  }

  private func end(_ key: PrefetchKey, _ subscription: LoadSubscription, _ outcome: PrefetchBatch.Outcome) {
    let batches: [PrefetchBatch] = state.withLock { state in
      // A stopped run has been subtracted already, and its key may be running again.
      guard state.items[key]?.run?.subscription === subscription else { return [] }
      state.runningCount -= 1
      return state.items.removeValue(forKey: key)?.batches ?? []
    }
    for batch in batches { batch.end(key, outcome) }
    startNext()
  }

  /// Removes `keys` from `batch`, or from all batches if it is `nil`, and cancels those that are left in no batch.
  private func withdraw(_ keys: [PrefetchKey], of batch: PrefetchBatch?) {
    var withdrawn: [(key: PrefetchKey, item: Item)] = []
    state.withLock { state in
      for key in keys {
        guard var item = state.items[key] else { continue }
        if let batch {
          item.batches.removeAll { $0 === batch }
          state.items[key] = item
          guard item.batches.isEmpty else { continue }
        }
        state.items[key] = nil
        if item.run != nil { state.runningCount -= 1 }
        withdrawn.append((key, item))
      }
      if state.items.isEmpty { state.waiting = [] }
    }
    for (key, item) in withdrawn {
      item.run?.task.cancel()
      for batch in item.batches { batch.end(key, .failure(.cancelled)) }
    }
    startNext()
  }
}
