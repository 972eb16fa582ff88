package import HalcyonSupport

/// A store with a ``RemovalHistory``, or over one.
package protocol ReplacingStore: DataStore {
  /// Removes the entries of a source whose original was replaced, which is no removal for loads in flight: they store
  /// what they make of the new one.
  ///
  /// - Parameter key: The key of the new original, which a store need not remove.
  func removeReplaced(ofSource source: String, except key: CacheKey?) async throws
}

extension DataStore {
  /// Removes the entries of a source whose original was replaced; a store may keep the one under `key`.
  package func removeReplacedEntries(ofSource source: String, except key: CacheKey? = nil) async throws {
    if let store = self as? any ReplacingStore { return try await store.removeReplaced(ofSource: source, except: key) }
    try await removeEntries(ofSource: source)
  }
}
