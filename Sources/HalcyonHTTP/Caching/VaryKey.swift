import HalcyonSupport

/// Identifies a variant of a response by the request's values of the fields that `Vary` lists (RFC 9111, 4.1).
///
/// Contains only hashes of the values, because it is written to disk and values may be secrets.
public struct VaryKey: Hashable, Sendable {
  /// The names in lower case with the hashes of the values, sorted by name.
  public let fields: [HTTPHeaders.Field]

  /// Creates a key from stored ``fields``.
  public init(fields: [HTTPHeaders.Field]) {
    self.fields = fields
  }

  /// The key of a response to a request; `nil` if the response matches no other request (`Vary: *`).
  public init?(of responseHeaders: HTTPHeaders, requestHeaders: HTTPHeaders) {
    let names = Set(
      (responseHeaders["Vary"] ?? "").utf8.split(separator: UInt8(ascii: ",")).map { name in
        Substring(name).filter { !$0.isWhitespace }.lowercased()
      })
    guard !names.contains("*") else { return nil }
    fields = names.filter { !$0.isEmpty }.sorted().map { name in
      HTTPHeaders.Field(name: name, value: Self.hash(name, requestHeaders[name]))
    }
  }

  /// Whether a request has the same values in these fields, so that the variant can be served to it.
  public func matches(_ requestHeaders: HTTPHeaders) -> Bool {
    fields.allSatisfy { Self.hash($0.name, requestHeaders[$0.name]) == $0.value }
  }

  /// The hash of a normalized value; empty for an absent field.
  ///
  /// White space is normalized, and the case of language tags ignored (RFC 5646, 2.1.1).
  private static func hash(_ name: String, _ value: String?) -> String {
    guard let value else { return "" }
    let items = value.split(separator: ",").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let normalized = items.joined(separator: ",")
    return KeyDigest(name == "accept-language" ? normalized.lowercased() : normalized).hexadecimal
  }
}
