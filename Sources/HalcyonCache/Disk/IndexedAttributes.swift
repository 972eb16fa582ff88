import HalcyonSupport
import Foundation

/// What entries are found by, besides their keys.
struct IndexedAttributes {
  /// Stands for the address that was asked for; all variants of one image share it. It begins with what stands for the
  /// host, so that one index in the database finds both.
  var source: [UInt8]
  /// The host that was asked.
  var host: String?
  var tags: [String]

  init(key: CacheKey, metadata: EntryMetadata) {
    let address = key.source?.text ?? metadata.url?.absoluteString ?? key.text
    host = Self.host(of: address)
    source = Self.source(address, host: host)
    tags = metadata.tags
    // What lies under a key of the caller's has no host in its source, and yet was asked from one.
    if host == nil, let asked = metadata.url?.host()?.lowercased() { tags.append(Self.hostTag(asked)) }
  }

  /// A tag, which no user gives, of entries whose host their source does not tell.
  static func hostTag(_ host: String) -> String { "\0host " + host }

  /// What stands for an address.
  static func source(_ address: String) -> [UInt8] { source(address, host: host(of: address)) }

  /// What the source of each entry from a host begins with; few others do.
  static func hostPrefix(_ host: String) -> [UInt8] { Array(KeyDigest(host).bytes.prefix(8)) }

  private static func source(_ address: String, host: String?) -> [UInt8] {
    hostPrefix(host ?? "") + KeyDigest(address).bytes
  }

  private static func host(of address: String) -> String? { URL(string: address)?.host()?.lowercased() }
}
