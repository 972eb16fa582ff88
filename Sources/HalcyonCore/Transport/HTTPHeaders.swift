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

  /// The values of a name joined by a comma, or `nil` when there is none. Setting replaces all of them.
  public subscript(name: String) -> String? {
    get {
      let values = fields.filter { $0.name.isEqualIgnoringCase(to: name) }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
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

  /// These fields, and those of `others` whose names are not among them.
  func adding(_ others: HTTPHeaders) -> HTTPHeaders {
    var all = self
    for field in others.fields where self[field.name] == nil { all.add(name: field.name, value: field.value) }
    return all
  }

  /// The one value of all `Content-Length` fields; `nil` when there is none, or it is no number, or several differ
  /// (RFC 9110, 8.6).
  package var contentLength: Int? {
    guard let values = self["Content-Length"]?.split(separator: ",").map({ $0.drop { $0 == " " } }),
      let first = values.first, values.allSatisfy({ $0 == first }),
      first.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(first)
  }

  var sortedFields: [Field] {
    fields.sorted { ($0.name.lowercased(), $0.value) < ($1.name.lowercased(), $1.value) }
  }
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
  func isEqualIgnoringCase(to other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0 == $1 || ($0.lowered == $1.lowered) }
  }
}

extension UInt8 {
  fileprivate var lowered: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}
