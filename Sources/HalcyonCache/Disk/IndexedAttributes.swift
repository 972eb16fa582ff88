import HalcyonSupport
import Foundation

/// The attributes by which the index finds entries, besides their keys.
struct IndexedAttributes {
  /// Identifies the source URL or key, which all variants of one image share.
  ///
  /// A hash of the host is its prefix, so that one database index finds entries by source and by host.
  var source: [UInt8]
  /// The host of the source URL, in lower case.
  var host: String?
  var tags: [String]

  init(key: CacheKey, metadata: EntryMetadata) {
    let source = key.source?.text ?? metadata.url?.absoluteString ?? key.text
    host = Self.host(of: source)
    self.source = Self.source(source, host: host)
    tags = metadata.tags
    // The source of a custom key has no host, but its image may have been downloaded from one.
    if host == nil, let host = metadata.url?.host()?.lowercased() { tags.append(Self.hostTag(host)) }
  }

  /// The tag that records the host of an entry with a custom key. User tags do not begin with a zero byte.
  static func hostTag(_ host: String) -> String { "\0host " + host }

  /// The indexed form of a source.
  static func source(_ text: String) -> [UInt8] { source(text, host: host(of: text)) }

  /// The prefix of the sources of a host; few sources of other hosts share it.
  static func hostPrefix(_ host: String) -> [UInt8] { Array(KeyDigest(host).bytes.prefix(8)) }

  private static func source(_ text: String, host: String?) -> [UInt8] {
    hostPrefix(host ?? "") + KeyDigest(text).bytes
  }

  private static func host(of text: String) -> String? { URL(string: text)?.host()?.lowercased() }
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
