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
    let address = key.source ?? metadata.url?.absoluteString ?? key.text
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

extension CacheKey {
  /// The address, or the caller's key, that a request's key begins with; `nil` for keys of another kind.
  var source: String? {
    var rest = text.utf8[...]
    guard rest.starts(with: "|url=".utf8) || rest.starts(with: "|key=".utf8) else { return nil }
    rest = rest.dropFirst("|url=".utf8.count)
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let count = Int(String(rest[..<colon]) ?? ""), count >= 0,
      let end = rest.index(colon, offsetBy: count + 1, limitedBy: rest.endIndex)
    else { return nil }
    return String(rest[rest.index(after: colon)..<end])
  }
}

extension KeyDigest {
  var bytes: [UInt8] {
    [low, high].flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
  }
}
