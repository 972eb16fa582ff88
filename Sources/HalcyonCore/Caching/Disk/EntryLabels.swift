import Foundation

/// What entries are found by, besides their keys.
struct EntryLabels {
  /// Stands for the address that was asked for; all variants of one image share it.
  var source: [UInt8]
  /// The host that was asked.
  var host: String?
  var tags: [String]

  init(key: CacheKey, metadata: EntryMetadata) {
    let address = key.source ?? metadata.url?.absoluteString ?? key.text
    source = Self.source(address)
    host = (URL(string: address)?.host() ?? metadata.url?.host())?.lowercased()
    tags = metadata.tags
  }

  /// What stands for an address.
  static func source(_ address: String) -> [UInt8] { KeyDigest(address).bytes }
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
