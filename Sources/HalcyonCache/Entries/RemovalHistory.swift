package import HalcyonSupport

/// When entries were last removed, so that a load which began before does not store them again.
///
/// A removal is recorded when it begins and when it has ended. Evictions and expirations are not recorded.
package final class RemovalHistory: Sendable {
  /// The most keys and sources that are remembered. Beyond it all are forgotten, and every key counts as removed.
  private static let limit = 4096

  private struct State {
    /// The number of removals so far.
    var count: UInt64 = 0
    /// The values of ``count`` at the last removals.
    var (all, keys, sources): (UInt64, [CacheKey: UInt64], [String: UInt64]) = (0, [:], [:])
  }

  private let state = Lock(State())
  private let isEmpty = Atomic(true)

  package init() {}

  /// The number of the last removal that removed a key; 0 if there was none.
  package func last(of key: CacheKey) -> UInt64 {
    if isEmpty.load() { return 0 }
    return state.withLock { state in
      let source = state.sources.isEmpty ? nil : key.source.flatMap { state.sources[$0.text] }
      return max(state.all, state.keys[key] ?? 0, source ?? 0)
    }
  }

  /// Records the removal of one key.
  package func record(_ key: CacheKey) { record { $0.keys[key] = $0.count } }

  /// Records the removal of all keys of a source.
  package func record(source: String) { record { $0.sources[source] = $0.count } }

  /// Records the removal of any keys.
  package func recordAll() { record { ($0.all, $0.keys, $0.sources) = ($0.count, [:], [:]) } }

  /// Records a removal before and after it.
  package func recordAll<Result>(of removal: () async throws -> Result) async rethrows -> Result {
    recordAll()
    defer { recordAll() }
    return try await removal()
  }

  private func record(_ change: (inout State) -> Void) {
    state.withLock { state in
      state.count += 1
      change(&state)
      if state.keys.count + state.sources.count > Self.limit {
        (state.all, state.keys, state.sources) = (state.count, [:], [:])
      }
    }
    isEmpty.store(false)
  }
}
