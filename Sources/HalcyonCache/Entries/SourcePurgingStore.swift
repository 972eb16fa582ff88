/// A store that can remove everything that belongs to a source: the original, and all images made from it.
public protocol SourcePurgingStore: DataStore {
  /// Removes all entries whose keys belong to a source.
  ///
  /// - Parameter source: The URL before redirects, or the custom key, of the requests.
  /// - Returns: The number of entries removed; 0 for a store that invalidates without counting.
  @discardableResult
  func removeEntries(ofSource source: String) async throws -> Int
}
