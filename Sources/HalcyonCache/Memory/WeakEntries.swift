import HalcyonSupport

/// Evicted images that were in use when they left.
struct WeakEntries: Sendable {
  private var entries: [CacheKey: WeakEntry] = [:]
  private var sweepCount = 16

  var isEmpty: Bool { entries.isEmpty }

  func entry(for key: CacheKey) -> CacheEntry? {
    entries.isEmpty ? nil : entries[key]?.entry(for: key)
  }

  /// Adds an entry. Those whose image is gone leave whenever the number has doubled.
  mutating func insert(_ entry: CacheEntry) {
    entries[entry.key] = WeakEntry(entry)
    guard entries.count >= sweepCount else { return }
    entries = entries.filter { $0.value.isAlive }
    sweepCount = max(16, entries.count * 2)
  }

  @discardableResult
  mutating func remove(_ key: CacheKey) -> Bool {
    entries.isEmpty ? false : entries.removeValue(forKey: key) != nil
  }
}
