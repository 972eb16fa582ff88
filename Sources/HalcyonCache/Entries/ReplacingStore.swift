/// A store with a ``RemovalHistory``, or over one.
package protocol ReplacingStore: DataStore {
  /// Removes the entries of a source whose original was replaced, which is no removal for loads in flight: they store
  /// what they make of the new one.
  func removeReplaced(ofSource source: String) async throws
}

extension DataStore {
  /// Removes the entries of a source whose original was replaced.
  package func removeReplacedEntries(ofSource source: String) async throws {
    if let store = self as? any ReplacingStore { return try await store.removeReplaced(ofSource: source) }
    try await removeEntries(ofSource: source)
  }
}
