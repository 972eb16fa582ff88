import HalcyonSupport
public import HalcyonCache

extension DiskCache {
  /// Removes every variant of an image: everything that was stored for its URL before redirects, or for its key.
  ///
  /// - Returns: The number of entries removed.
  /// - Throws: ``DiskCacheError`` when the file system fails.
  @discardableResult
  public func removeEntries(from source: ImageSource) async throws -> Int {
    try await removeEntries(ofSource: source.keySource.text)
  }
}
