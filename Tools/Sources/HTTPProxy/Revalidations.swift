import Halcyon

/// Questions that go on after their stale answer was served, one at a time for each key.
actor Revalidations {
  private var tasks: [CacheKey: Task<Void, Never>] = [:]

  func start(_ key: CacheKey, _ body: @escaping @Sendable () async -> Void) {
    guard tasks[key] == nil else { return }
    tasks[key] = Task {
      await body()
      tasks[key] = nil
    }
  }

  func cancelAll() {
    for task in tasks.values { task.cancel() }
  }
}
