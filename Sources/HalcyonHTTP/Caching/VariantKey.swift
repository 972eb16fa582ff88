import HalcyonSupport

/// What tells the variants of an answer apart: the values that a request had in the fields that `Vary` lists
/// (RFC 9111, 4.1).
///
/// Values may be secrets and this is written to disk: only their hashes are kept.
public struct VariantKey: Hashable, Sendable {
  /// The names in lower case and the hashes of the values, in the order of the names.
  public let fields: [HTTPHeaders.Field]

  /// Creates a key from ``fields`` that were kept.
  public init(fields: [HTTPHeaders.Field]) {
    self.fields = fields
  }

  /// `nil` when the answer says that it fits no other request (`Vary: *`).
  public init?(of answer: HTTPHeaders, requestHeaders: HTTPHeaders) {
    let names = Set(
      (answer["Vary"] ?? "").split(separator: ",").map { name in
        name.filter { !$0.isWhitespace }.lowercased()
      })
    guard !names.contains("*") else { return nil }
    fields = names.filter { !$0.isEmpty }.sorted().map { name in
      HTTPHeaders.Field(name: name, value: Self.hash(name, requestHeaders[name]))
    }
  }

  /// Whether a request has the same values.
  public func matches(_ requestHeaders: HTTPHeaders) -> Bool {
    fields.allSatisfy { Self.hash($0.name, requestHeaders[$0.name]) == $0.value }
  }

  /// Nothing for a field that is not there. White space around commas and in a row tells nothing, nor does the case of
  /// the names of languages (RFC 5646, 2.1.1).
  private static func hash(_ name: String, _ value: String?) -> String {
    guard let value else { return "" }
    let items = value.split(separator: ",").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let normalized = items.joined(separator: ",")
    return KeyDigest(name == "accept-language" ? normalized.lowercased() : normalized).hexadecimal
  }
}
