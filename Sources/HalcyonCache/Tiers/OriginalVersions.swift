@_spi(Programs) package import HalcyonSupport

/// The versions of originals that loads through a cache have received, so that nothing made of an older one is served.
///
/// What is known of the sources that were loaded longest ago is forgotten.
package final class OriginalVersions: Sendable {
  private let marks = RecentTable<CacheKey, OriginalMark>(costLimit: 4096)
  /// When originals were replaced by newer ones.
  package let replacements = RemovalHistory()

  /// The mark of the newest bytes of a key.
  package subscript(key: CacheKey) -> OriginalMark? { marks[key] }

  /// Records the mark of the bytes of a key.
  package func record(_ mark: OriginalMark, for key: CacheKey) { marks.insert(mark, for: key) }

  package func removeAll() { marks.removeAll() }
}
