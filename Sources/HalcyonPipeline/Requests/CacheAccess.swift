/// Whether a request reads and writes a cache.
///
/// ```swift
/// let request = ImageRequest(url: url) { $0.storeAccess = .disabled }  // memory only
/// ```
public enum CacheAccess: Hashable, Sendable {
  /// Entries are read and written. The default.
  case readWrite
  /// Entries are read, and nothing is written.
  case readOnly
  /// Entries are written, and none is read.
  case writeOnly
  /// The cache is neither read nor written.
  case disabled

  var reads: Bool { self == .readWrite || self == .readOnly }
  var writes: Bool { self == .readWrite || self == .writeOnly }

  /// The same access without reads.
  var withoutReads: CacheAccess { writes ? .writeOnly : .disabled }
}
