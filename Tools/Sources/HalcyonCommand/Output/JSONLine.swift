import Foundation

/// Encodes a value as a JSON object on one line.
enum JSONLine {
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// The object; empty for a value that cannot be encoded, as numbers that are not finite cannot.
  static func text(_ value: some Encodable) -> String { (try? encode(value)) ?? "{}" }
}

extension String {
  /// Without control characters, which could change what a terminal shows.
  var printableLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}

extension Duration {
  /// Milliseconds, rounded to two decimal places.
  var roundedMilliseconds: Double { ((self / .milliseconds(1)) * 100).rounded() / 100 }
}
