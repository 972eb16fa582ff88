/// Header fields in the order given; names are compared without regard to case (RFC 9110, 5.1).
public struct HTTPHeaders: Sendable {
  /// One field line.
  public struct Field: Hashable, Sendable {
    /// The name as written.
    public var name: String
    /// The value, without white space around it.
    public var value: String

    /// Creates a field.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, repeated ones included.
  public private(set) var fields: [Field] = []

  /// Creates an empty collection.
  public init() {}

  /// Creates a collection of fields that are there already.
  package init(_ fields: [Field]) {
    self.fields = fields
  }

  /// The values of a name joined by a comma, or `nil` when there is none. Setting replaces all of them.
  public subscript(name: String) -> String? {
    get {
      // In place: a copy of a field retains both its texts, and most fields are not the one.
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

  /// Adds a field after the others, also when the name is there already.
  public mutating func add(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Keeps the fields for which `isIncluded` says yes.
  public func filter(_ isIncluded: (Field) -> Bool) -> HTTPHeaders {
    var kept = HTTPHeaders()
    kept.fields = fields.filter(isIncluded)
    return kept
  }

  /// Whether a request with these fields is conditional: a 304 is a response to it (RFC 9110, 13.1).
  package var isConditional: Bool { self["If-None-Match"] != nil || self["If-Modified-Since"] != nil }

  /// These fields, and those of `others` whose names are not among them.
  package func adding(_ others: HTTPHeaders) -> HTTPHeaders {
    if fields.isEmpty { return others }
    var all = self
    for field in others.fields where self[field.name] == nil { all.add(name: field.name, value: field.value) }
    return all
  }

  /// The one value of all `Content-Length` fields; `nil` when there is none, or it is no number, or several differ
  /// (RFC 9110, 8.6).
  package var contentLength: Int? {
    guard let text = self["Content-Length"] else { return nil }
    if text.isWholeNumber { return Int(text) }
    let values = text.utf8.split(separator: UInt8(ascii: ",")).map { value in value.drop { $0 == UInt8(ascii: " ") } }
    guard let first = values.first, values.dropFirst().allSatisfy({ $0.elementsEqual(first) }) else { return nil }
    let number = String(Substring(first))
    return number.isWholeNumber ? Int(number) : nil
  }

  package var sortedFields: [Field] {
    fields.sorted { ($0.name.lowercased(), $0.value) < ($1.name.lowercased(), $1.value) }
  }
}

extension HTTPHeaders {
  /// The fields without those that are about one connection (RFC 9110, 7.6.1): `Connection`, what it names, and others
  /// like it.
  public var endToEnd: HTTPHeaders {
    let named = (self["Connection"] ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
    let dropped = Self.hopByHopFields.union(named)
    return filter { !dropped.contains($0.name.lowercased()) }
  }

  private static let hopByHopFields: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]
}

extension HTTPHeaders: Hashable {
  /// Equal when both have the same fields, whatever the case of the names and their order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.normalized == right.normalized
  }

  /// Feeds the fields in a fixed order with names in lower case.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(normalized)
  }

  private var normalized: [Field] {
    sortedFields.map { Field(name: $0.name.lowercased(), value: $0.value) }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates headers from names and values.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name: name, value: value) }
  }
}

extension String {
  /// Whether these are digits and nothing else.
  fileprivate var isWholeNumber: Bool { utf8.allSatisfy { (48...57).contains($0) } }

  package func isEqualIgnoringCase(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // As long as both are in memory as UTF-8, which is nearly always, no character is looked up.
    let fast = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        left.indices.allSatisfy { left[$0] == right[$0] || left[$0].lowered == right[$0].lowered }
      }
    }
    return (fast ?? nil) ?? zip(utf8, other.utf8).allSatisfy { $0.lowered == $1.lowered }
  }
}

extension UInt8 {
  fileprivate var lowered: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}
