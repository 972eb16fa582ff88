public import HalcyonSupport

/// Why the processing options of an image URL are not valid.
public enum OptionError: Error, Hashable {
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
  /// No image can be written in the format of this file extension.
  case unknownFormat(String)
}

extension OptionError: DescribedError {
  /// What is wrong, and what is valid instead.
  public var description: String {
    switch self {
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
    case .unknownFormat(let text):
      "“\(text.excerpt)” is not the extension of a format that can be written. Use jpg, png, webp, gif, avif or jxl."
    }
  }
}

extension String {
  /// The first characters for a message, on one line and without invisible ones.
  fileprivate var excerpt: String {
    let scalars = unicodeScalars.prefix(60)
    return String(String.UnicodeScalarView(scalars)).printable
      + (scalars.endIndex == unicodeScalars.endIndex ? "" : "…")
  }
}
