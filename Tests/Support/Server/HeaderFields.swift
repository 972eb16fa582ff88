/// The headers of a message in the order sent; names are case-insensitive.
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
  /// One header line.
  public struct Field: Sendable, Equatable {
    public let name: String
    public let value: String
  }

  public private(set) var fields: [Field]

  /// Creates headers in order; repeated names stay separate lines.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0, value: $1) }
  }

  /// The first value of `name`; setting replaces all its values, and `nil` removes them.
  public subscript(name: String) -> String? {
    get { values(for: name).first }
    set {
      fields.removeAll { $0.name.lowercased() == name.lowercased() }
      if let newValue { add(name, newValue) }
    }
  }

  /// All values of `name`, in order.
  public func values(for name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// Adds a line, keeping existing lines with the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }
}
