package import HalcyonSupport

/// The versions of originals that loads through a cache have received, so that nothing made of an older one is served.
///
/// Of the sources that were loaded longest ago, what is known is forgotten.
package final class OriginalVersions: Sendable {
  private static let halfLimit = 2048

  private struct State {
    /// The newer half of the marks, and the previous one.
    var (newer, older): ([CacheKey: OriginalMark], [CacheKey: OriginalMark]) = ([:], [:])
  }

  private let state = Lock(State())
  /// When originals were replaced by newer ones.
  package let replacements = RemovalHistory()

  /// The mark of the newest bytes of a key.
  package subscript(key: CacheKey) -> OriginalMark? {
    state.withLock { $0.newer[key] ?? $0.older[key] }
  }

  /// Records the mark of the bytes of a key.
  package func record(_ mark: OriginalMark, for key: CacheKey) {
    state.withLock { state in
      if state.newer.count >= Self.halfLimit { (state.older, state.newer) = (state.newer, [:]) }
      state.newer[key] = mark
    }
  }

  package func removeAll() { state.withLock { $0 = State() } }
}
