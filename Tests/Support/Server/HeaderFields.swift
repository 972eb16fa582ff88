/// The header fields of a message in the order sent; names match without regard to case.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
  /// One line of a header.
  package struct Field: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  package private(set) var fields: [Field]

  /// Repeated names stay repeated lines.
  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0, value: $1) }
  }

  /// The first value under `name`; setting replaces every value, `nil` removes them.
  package subscript(name: String) -> String? {
    get { values(for: name).first }
    set {
      fields.removeAll { $0.name.lowercased() == name.lowercased() }
      if let newValue { add(name, newValue) }
    }
  }

  /// Every value under `name`, in order.
  package func values(for name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// Adds a line, keeping those of the same name.
  package mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }
}
