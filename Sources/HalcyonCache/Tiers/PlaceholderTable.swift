package import HalcyonSupport
package import HalcyonImaging

/// The placeholders of recently loaded images, by the key of their encoded bytes; at most a few hundred KiB.
package final class PlaceholderTable: Sendable {
  private struct State {
    /// The newer half of the placeholders, and the previous one.
    var (newer, older): ([CacheKey: ThumbHash], [CacheKey: ThumbHash]) = ([:], [:])
  }

  private let halfLimit: Int
  private let state = Lock(State())

  /// - Parameter halfLimit: Half of the most placeholders to hold. When the newer half is full, the older one is dropped;
  ///   reading a placeholder moves it to the newer half.
  init(halfLimit: Int = 1024) {
    self.halfLimit = halfLimit
  }

  package subscript(key: CacheKey) -> ThumbHash? {
    state.withLock { state in
      if let hash = state.newer[key] { return hash }
      guard let hash = state.older[key] else { return nil }
      insert(hash, key, &state)
      return hash
    }
  }

  package func insert(_ hash: ThumbHash, for key: CacheKey) {
    state.withLock { insert(hash, key, &$0) }
  }

  package func remove(_ key: CacheKey) {
    state.withLock { state in
      state.newer[key] = nil
      state.older[key] = nil
    }
  }

  /// Removes those of a source. O(n).
  func removeAll(ofSource source: String) {
    state.withLock { state in
      state.newer = state.newer.filter { !$0.key.isOf(source: source) }
      state.older = state.older.filter { !$0.key.isOf(source: source) }
    }
  }

  func removeAll() { state.withLock { $0 = State() } }

  private func insert(_ hash: ThumbHash, _ key: CacheKey, _ state: inout State) {
    if state.newer.count >= halfLimit { (state.older, state.newer) = (state.newer, [:]) }
    state.newer[key] = hash
  }
}
