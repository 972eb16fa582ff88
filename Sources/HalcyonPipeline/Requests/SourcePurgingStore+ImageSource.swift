import HalcyonSupport
public import HalcyonCache

extension SourcePurgingStore {
  /// Removes every variant of an image: everything that was stored for its URL before redirects, or for its key.
  ///
  /// - Returns: The number of entries removed; 0 for a store that invalidates without counting.
  /// - Throws: The errors of the store, such as ``DiskCacheError``.
  @discardableResult
  public func removeEntries(from source: ImageSource) async throws -> Int {
    try await removeEntries(ofSource: source.keySource.text)
  }
}
