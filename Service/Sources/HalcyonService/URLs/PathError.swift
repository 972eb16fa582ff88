/// Why the path of a request does not name an image.
public enum PathError: Error, Hashable {
  /// The path lacks its signature, its options or its source.
  case incomplete(path: String)
  /// No processing option has this name.
  case unknownOption(String)
  /// An option changes a limit, which the service does not allow.
  case forbiddenOption(String)
  /// The service does not allow an option.
  case optionNotAllowed(String)
  /// An option has more arguments than it takes.
  case tooManyArguments(option: String, limit: Int)
  /// An argument of an option has no valid value.
  case invalidArgument(option: String, value: String, expected: String)
  /// No preset has this name.
  case unknownPreset(String)
  /// Only the names of presets are accepted, and this is something else.
  case presetsOnly(String)
  /// The source is neither a percent-encoded nor a Base64 URL.
  case invalidSource(String)
  /// The source is encrypted, which only imgproxy's commercial edition does.
  case encryptedSource
  /// The path has several pipelines, which only imgproxy's commercial edition runs.
  case chainedPipelines
  /// No image can be written in the format of this file extension.
  case unknownFormat(String)
}

extension PathError: CustomStringConvertible {
  /// What is wrong, and what is valid instead.
  public var description: String {
    switch self {
    case .incomplete(let path):
      "The path “\(path.excerpt)” is incomplete. Use /SIGNATURE/OPTIONS/plain/URL@EXTENSION."
    case .unknownOption(let name):
      "There is no processing option “\(name.excerpt)”. Check its name, or remove it."
    case .forbiddenOption(let name):
      "The option \(name.excerpt) changes a limit. Remove it, or start the service with allow-security-options."
    case .optionNotAllowed(let name):
      "The service does not allow the option \(name.excerpt). Remove it."
    case .tooManyArguments(let option, let limit):
      "The option \(option.excerpt) has too many arguments. Pass at most \(limit)."
    case .invalidArgument(let option, let value, let expected):
      "The option \(option.excerpt) has the argument “\(value.excerpt)”. Use \(expected)."
    case .unknownPreset(let name):
      "There is no preset “\(name.excerpt)”. Use one that the service is configured with."
    case .presetsOnly(let text):
      "“\(text.excerpt)” is not the name of a preset, and only presets are accepted."
    case .invalidSource(let text):
      "“\(text.excerpt)” is not the URL of a source. Write plain/ and a percent-encoded URL, or the URL in URL-safe Base64."
    case .encryptedSource:
      "Encrypted sources (enc/) are not supported. Write plain/ and a percent-encoded URL, or the URL in URL-safe Base64."
    case .chainedPipelines:
      "Chained pipelines (/-/) are not supported. Write the options of one pipeline."
    case .unknownFormat(let text):
      "“\(text.excerpt)” is not the extension of a format that can be written. Use jpg, png, webp, gif, avif or jxl."
    }
  }
}

extension String {
  /// The first characters for a message, on one line: control and format characters, which would forge lines or reorder
  /// the text, are written as `�`.
  var excerpt: String { printable(limit: 60) }

  /// The text on one line, up to a number of characters.
  func printable(limit: Int) -> String {
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
