import HalcyonSupport
import Foundation

/// The attributes by which the index finds entries, besides their keys.
struct IndexedAttributes {
  /// Identifies the source URL or key, which all variants of one image share.
  var source: [UInt8]
  var tags: [String]

  init(key: CacheKey, metadata: EntryMetadata) {
    source = Self.source(key.source?.text ?? metadata.url?.absoluteString ?? key.text)
    tags = metadata.tags
  }

  /// The indexed form of a source.
  static func source(_ text: String) -> [UInt8] { KeyDigest(text).bytes }
}

/// The expiration of an entry in the columns of its index row.
struct StoredExpiration {
  /// Whether the entry has no expiration of its own and uses the configured default, read at lookup time.
  var isDefault = false
  /// Seconds after the last use, if that extends the expiration.
  var lifetime: Double?
  /// The expiration date in seconds since 1970; with the default expiration, the date from which the lifetime counts.
  var date: Double?

  init(_ expiration: CacheExpiration?, stored: Date, lastUse: Date) {
    switch expiration {
    case nil: (isDefault, date) = (true, lastUse.timeIntervalSince1970)
    case .never: break
    case .expired: date = lastUse.timeIntervalSince1970
    case .after(let duration, since: .lastUse):
      lifetime = duration.inSeconds
      date = lastUse.timeIntervalSince1970 + duration.inSeconds
    case .after(let duration, since: .storing): date = stored.timeIntervalSince1970 + duration.inSeconds
    case .date(let end): date = end.timeIntervalSince1970
    }
  }
}
