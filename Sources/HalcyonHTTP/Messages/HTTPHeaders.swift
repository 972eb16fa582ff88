/// Header fields in their given order; names are case-insensitive (RFC 9110, 5.1).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept-Language": "en"]
/// headers["Authorization"] = "Bearer \(token)"
/// ```
public struct HTTPHeaders: Sendable {
  /// One field line.
  public struct Field: Hashable, Sendable {
    /// The name, with its original case.
    public var name: String
    /// The value, without surrounding white space.
    public var value: String

    /// Creates a field.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, including repeated ones.
  public private(set) var fields: [Field] = []

  /// Creates an empty collection.
  public init() {}

  /// Creates a collection of existing fields.
  package init(_ fields: [Field]) {
    self.fields = fields
  }

  /// The values of all fields with a name, joined by `, `, or `nil` without such a field. Setting replaces all of them.
  public subscript(name: String) -> String? {
    get {
      // Compares in place: copying a field would retain its name and value, and most fields do not match.
      fields.withUnsafeBufferPointer { fields in
        var joined: String?
        for index in fields.indices where fields[index].name.isEqualIgnoringCase(to: name) {
          joined = joined.map { $0 + ", " + fields[index].value } ?? fields[index].value
        }
        return joined
      }
    }
    set {
      fields.removeAll { $0.name.isEqualIgnoringCase(to: name) }
      if let newValue { add(name: name, value: newValue) }
    }
  }

  /// Appends a field, even if there is one with the same name.
  public mutating func add(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// The fields for which `isIncluded` returns `true`.
  public func filter(_ isIncluded: (Field) -> Bool) -> HTTPHeaders {
    var kept = HTTPHeaders()
    kept.fields = fields.filter(isIncluded)
    return kept
  }

  /// These fields, and the fields of `others` whose names are not among them.
  package func adding(_ others: HTTPHeaders) -> HTTPHeaders {
    if fields.isEmpty { return others }
    var all = self
    for field in others.fields where self[field.name] == nil { all.add(name: field.name, value: field.value) }
    return all
  }

  /// The value of `Content-Length`; `nil` without one, if it is not a number, or if several values differ
  /// (RFC 9110, 8.6).
  package var contentLength: Int? {
    guard let text = self["Content-Length"] else { return nil }
    if text.isASCIIDigits { return Int(text) }
    let values = text.utf8.split(separator: UInt8(ascii: ",")).map { value in value.drop { $0 == UInt8(ascii: " ") } }
    guard let first = values.first, values.dropFirst().allSatisfy({ $0.elementsEqual(first) }) else { return nil }
    let number = String(Substring(first))
    return number.isASCIIDigits ? Int(number) : nil
  }

  /// Whether these fields make a GET conditional, so that a 304 is a possible response (RFC 9110, 13.1.2 and 13.1.3).
  package var isConditional: Bool { self["If-None-Match"] != nil || self["If-Modified-Since"] != nil }

  package var sortedFields: [Field] {
    fields.sorted { ($0.name.lowercased(), $0.value) < ($1.name.lowercased(), $1.value) }
  }
}

extension HTTPHeaders {
  /// The end-to-end fields: all but `Connection`, the fields it lists, and the other hop-by-hop fields
  /// (RFC 9110, 7.6.1).
  package var endToEnd: HTTPHeaders {
    let named = (self["Connection"] ?? "").utf8.split(separator: UInt8(ascii: ",")).map { name in
      Substring(name).filter { !$0.isWhitespace }.lowercased()
    }
    let dropped = Self.hopByHopFields.union(named)
    return filter { !dropped.contains($0.name.lowercased()) }
  }

  private static let hopByHopFields: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]
}

extension HTTPHeaders: Hashable {
  /// Whether both have the same fields, ignoring the case of names and the order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.normalized == right.normalized
  }

  /// Hashes the fields sorted, with names in lower case.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(normalized)
  }

  private var normalized: [Field] {
    sortedFields.map { Field(name: $0.name.lowercased(), value: $0.value) }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates a collection from names and values.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name: name, value: value) }
  }
}

extension HTTPHeaders: CustomStringConvertible {
  /// One field a line, for example `Accept: image/webp`; without the values of credentials.
  public var description: String {
    let secret = ["Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie"]
    return fields.map { field in
      let isSecret = secret.contains { field.name.isEqualIgnoringCase(to: $0) }
      return "\(field.name): \(isSecret ? "…" : field.value)"
    }.joined(separator: "\n")
  }
}
