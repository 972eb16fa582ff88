/// The fields of a request's key: `|name=length:value`, concatenated.
///
/// Each value is prefixed with its length in bytes, so that different lists of fields have different texts.
extension CacheKey {
  /// The first field of a request's key: the source of the image.
  package enum Source: Sendable {
    /// The URL of the request.
    case url(String)
    /// A key chosen by the caller.
    case custom(String)

    /// The URL or the caller's key.
    package var text: String {
      switch self {
      case .url(let text), .custom(let text): text
      }
    }

    /// The name of the field.
    package var name: StaticString {
      switch self {
      case .url: "url"
      case .custom: "key"
      }
    }
  }

  /// This key with one more field.
  package func adding(_ name: StaticString, _ value: String) -> CacheKey {
    KeyFields.key { fields in
      fields.append(self)
      fields.append(name, value)
    }
  }

  /// The key of the first part of the body whose key this is, of a download that was interrupted.
  package var ofPartialBody: CacheKey { adding("part", "begin") }

  /// Whether this is the key of a part of a body.
  package var isOfPartialBody: Bool {
    let field = "|part=5:begin".utf8
    return text.utf8.suffix(field.count).elementsEqual(field)
  }

  /// The fields of a key of original bytes; others stand for an image made from them.
  private static let originalFields: Set<String> = [
    "url", "key", "modified", "header", "for", "method", "body", "policy", "variant", "part",
  ]

  /// Whether this is the key of the original bytes of a source, or of a part of them. O(n).
  package var isOfOriginal: Bool {
    guard source != nil else { return false }
    var rest = text.utf8[...]
    while rest.popFirst() == UInt8(ascii: "|") {
      guard let equals = rest.firstIndex(of: UInt8(ascii: "=")), let name = String(rest[..<equals]),
        Self.originalFields.contains(name), let colon = rest[equals...].firstIndex(of: UInt8(ascii: ":")),
        let count = Int(String(rest[rest.index(after: equals)..<colon]) ?? ""), count >= 0,
        let end = rest.index(colon, offsetBy: count + 1, limitedBy: rest.endIndex)
      else { return false }
      rest = rest[end...]
    }
    return rest.isEmpty
  }

  /// Whether the key belongs to a source: the original bytes or an image made of them, for a request with this URL, before
  /// redirects, or with this custom key.
  ///
  /// Allocates no memory unless it does.
  public func isOf(source: String) -> Bool {
    let text = text.utf8
    guard text.starts(with: "|url=".utf8) || text.starts(with: "|key=".utf8) else { return false }
    let rest = text.dropFirst("|url=".utf8.count).drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard rest.first == UInt8(ascii: ":"), rest.dropFirst().starts(with: source.utf8) else { return false }
    return self.source?.text == source
  }

  /// The source in the first field; `nil` for keys that do not belong to a request.
  package var source: Source? {
    let isURL = text.utf8.starts(with: "|url=".utf8)
    guard isURL || text.utf8.starts(with: "|key=".utf8) else { return nil }
    let rest = text.utf8.dropFirst("|url=".utf8.count)
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let count = Int(String(rest[..<colon]) ?? ""), count >= 0,
      let end = rest.index(colon, offsetBy: count + 1, limitedBy: rest.endIndex),
      let value = String(rest[rest.index(after: colon)..<end])
    else { return nil }
    return isURL ? .url(value) : .custom(value)
  }
}
