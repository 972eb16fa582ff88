/// Why the path of a request does not name an image.
public enum PathError: Error, Hashable {
  /// The path lacks its signature, its options or its source.
  case incomplete(path: String)
  /// The source is neither a percent-encoded nor a Base64 URL.
  case invalidSource(String)
  /// The source is encrypted, and the service has no key for it.
  case encryptedSource
  /// The path has several pipelines, which only imgproxy's commercial edition runs.
  case chainedPipelines
}

extension PathError: CustomStringConvertible {
  /// What is wrong, and what is valid instead.
  public var description: String {
    switch self {
    case .incomplete(let path):
      "The path “\(path.excerpt)” is incomplete. Use /SIGNATURE/OPTIONS/plain/URL@EXTENSION."
    case .invalidSource(let text):
      "“\(text.excerpt)” is not the URL of a source. Write plain/ and a percent-encoded URL, or the URL in URL-safe Base64."
    case .encryptedSource:
      "The service has no key for encrypted sources (source-encryption-key). Write plain/ and a percent-encoded URL."
    case .chainedPipelines:
      "Chained pipelines (/-/) are not supported. Write the options of one pipeline."
    }
  }
}

extension String {
  /// The first characters for a message, on one line: control and format characters, which would forge lines or reorder
  /// the text, are written as `�`.
  var excerpt: String { printable(limit: 60) }

  /// The text on one line, up to a number of characters.
  func printable(limit: Int) -> String {
    if utf8.count <= limit, utf8.allSatisfy({ (32...126).contains($0) }) { return self }
    let start = unicodeScalars.prefix(limit)
    let text = String(String.UnicodeScalarView(start.map { $0.isPrintable ? $0 : "\u{FFFD}" }))
    return start.endIndex == unicodeScalars.endIndex ? text : text + "…"
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
