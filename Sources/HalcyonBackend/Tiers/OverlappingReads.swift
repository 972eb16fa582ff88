import HalcyonSupport

/// The keys that are being read or changed, to find out whether a read and a change overlapped.
final class OverlappingReads: Sendable {
  /// A read that has begun.
  struct Read: Sendable {
    /// The number of changes of all keys so far.
    fileprivate let epoch: Int
  }

  private struct Key {
    var readCount = 0
    var changeCount = 0
    /// Whether it was changed during one of the reads. Stays set until no read and no change is under way.
    var isChanged = false
  }

  private struct State {
    var keys: [CacheKey: Key] = [:]
    /// Incremented when a change of all keys begins, and when it ends.
    var epoch = 0
    var isChangingAll: Int = 0
  }

  private let state = Lock(State())

  func begin(_ key: CacheKey) -> Read {
    state.withLock { state in
      var entry = state.keys[key] ?? Key()
      entry.readCount += 1
      state.keys[key] = entry
      return Read(epoch: state.isChangingAll > 0 ? -1 : state.epoch)
    }
  }

  func end(_ key: CacheKey) { update(key) { $0.readCount -= 1 } }

  func isChanged(_ key: CacheKey, since read: Read) -> Bool {
    state.withLock { $0.epoch != read.epoch || $0.keys[key]?.isChanged ?? true }
  }

  /// - Parameter key: `nil` for all keys.
  func beginChange(_ key: CacheKey?) {
    guard let key else {
      return state.withLock { state in
        state.epoch += 1
        state.isChangingAll += 1
      }
    }
    update(key) { entry in
      entry.changeCount += 1
      entry.isChanged = true
    }
  }

  func endChange(_ key: CacheKey?) {
    guard let key else {
      return state.withLock { state in
        state.epoch += 1
        state.isChangingAll -= 1
      }
    }
    update(key) { $0.changeCount -= 1 }
  }

  private func update(_ key: CacheKey, _ body: (inout Key) -> Void) {
    state.withLock { state in
      var entry = state.keys[key] ?? Key()
      body(&entry)
      state.keys[key] = entry.readCount == 0 && entry.changeCount == 0 ? nil : entry
    }
  }
}
