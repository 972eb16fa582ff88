extension String {
  /// The most characters (Unicode scalars) of foreign text in a message.
  private static let printableCount = 300

  /// Text of a server, a file or a caller for a message: on one line, at most 300 characters, and without invisible ones.
  ///
  /// Line breaks would forge lines of a log, escape sequences would control a terminal, and bidirectional formatting would
  /// reorder the message: control and format characters are written as `\u{1B}`.
  package var printable: String {
    if utf8.count <= Self.printableCount, utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return self }
    let scalars = unicodeScalars
    let end = scalars.index(scalars.startIndex, offsetBy: Self.printableCount, limitedBy: scalars.endIndex)
    let text = scalars[..<(end ?? scalars.endIndex)].reduce(into: "") { text, scalar in
      if scalar.isPrintable {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return end == nil || end == scalars.endIndex ? text : text + "…"
  }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
    default: true
    }
  }
}
