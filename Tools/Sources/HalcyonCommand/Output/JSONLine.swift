import Foundation

/// A JSON object on one line.
enum JSONLine {
  private struct Field: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  /// The object of the fields that are not `nil`. Control characters and other invisible ones are escaped.
  static func encode(_ fields: [String: (any Encodable)?]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(fields.compactMapValues { $0.map(Field.init) }), as: UTF8.self)
    if text.unicodeScalars.allSatisfy(\.isPrintable) { return text }
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      if scalar.isPrintable {
        line.unicodeScalars.append(scalar)
      } else if scalar.isEscapedByte {
        line += "\u{FFFD}"
      } else {
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16)
          line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
  }

  /// The object; empty for a value that cannot be encoded, as numbers that are not finite cannot.
  static func text(_ fields: [String: (any Encodable)?]) -> String { (try? encode(fields)) ?? "{}" }
}

extension String {
  /// Without characters that could change what a terminal shows, or pretend to be another line: names of files, URLs,
  /// metadata and error messages are chosen by others.
  var printableLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isPrintable ? $0 : "\u{FFFD}" }))
  }
}

extension Unicode.Scalar {
  /// Whether a terminal shows the scalar as itself. Joiners, which many scripts and emoji need, are.
  var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    case .format: self == "\u{200C}" || self == "\u{200D}"
    default: !isEscapedByte
    }
  }
}

extension Duration {
  /// Milliseconds, rounded to two decimal places.
  var roundedMilliseconds: Double { ((self / .milliseconds(1)) * 100).rounded() / 100 }
}
