/// A file of environment variables, in the syntax that imgproxy reads.
///
/// A line is `NAME=VALUE`, empty, or a comment that begins with `#`. Values may be in quotes. `$NAME` and `${NAME}` stand for
/// variables of the file and of the environment, except in single quotes; in double quotes `\n` is a line break, and a
/// backslash makes the next character an ordinary one.
struct EnvironmentFile {
  private var rest: ArraySlice<Unicode.Scalar>
  private var line = 1
  private let path: String
  private let environment: [String: String]
  private var variables: [String: String] = [:]

  /// The variables of a file's text.
  ///
  /// - Parameters:
  ///   - path: That of the file, for errors.
  ///   - environment: The variables that values may name.
  static func variables(
    in text: String, path: String, environment: [String: String]
  ) throws(ConfigurationError) -> [String: String] {
    var file = EnvironmentFile(text, path: path, environment: environment)
    while try file.readLine() {}
    return file.variables
  }

  private init(_ text: String, path: String, environment: [String: String]) {
    let scalars = Array(text.unicodeScalars)
    rest = scalars.first == "\u{FEFF}" ? scalars.dropFirst() : scalars[...]
    (self.path, self.environment) = (path, environment)
  }

  /// Reads the next line that has a variable; false at the end.
  private mutating func readLine() throws(ConfigurationError) -> Bool {
    while let next = rest.first, next == "#" || next.properties.isWhitespace {
      if next == "#" { skipLine() } else { advance() }
    }
    guard !rest.isEmpty else { return false }
    var name = take { $0 != "=" && $0 != "\n" }.trimmed
    if name.hasPrefix("export ") { name = String(name.dropFirst(7)).trimmed }
    guard rest.first == "=", !name.isEmpty, name.unicodeScalars.allSatisfy(Self.isPartOfName) else { throw malformed }
    advance()
    _ = take { $0 == " " || $0 == "\t" }
    switch rest.first {
    case "'": variables[name] = try quoted("'")
    case "\"": variables[name] = try quoted("\"")
    default: variables[name] = unquoted()
    }
    return true
  }

  private var malformed: ConfigurationError { .malformedLine(line, file: path) }

  /// The value up to the closing quote, after which only a comment may follow.
  private mutating func quoted(_ quote: Unicode.Scalar) throws(ConfigurationError) -> String {
    advance()
    var value = ""
    while let next = rest.first, next != quote {
      advance()
      if quote == "\"", next == "\\", let escaped = rest.first {
        advance()
        value.unicodeScalars.append(escaped == "n" ? "\n" : escaped == "r" ? "\r" : escaped)
      } else if quote == "\"", next == "$" {
        value += substitution()
      } else {
        value.unicodeScalars.append(next)
      }
    }
    guard rest.first == quote else { throw malformed }
    advance()
    let end = take { $0 != "\n" }.trimmed
    guard end.isEmpty || end.hasPrefix("#") else { throw malformed }
    return value
  }

  /// The value up to the end of the line, or to a comment after a space.
  private mutating func unquoted() -> String {
    var value = ""
    while let next = rest.first, next != "\n" {
      if next == "#", value.isEmpty || value.hasSuffix(" ") || value.hasSuffix("\t") {
        skipLine()
        break
      }
      advance()
      if next == "\\", rest.first == "$" {
        advance()
        value += "$"
      } else if next == "$" {
        value += substitution()
      } else {
        value.unicodeScalars.append(next)
      }
    }
    return value.trimmed
  }

  /// The value of the variable whose name follows; a dollar sign without a name stands for itself.
  private mutating func substitution() -> String {
    let isInBraces = rest.first == "{"
    if isInBraces { advance() }
    let name = take(while: Self.isPartOfName)
    guard isInBraces else { return name.isEmpty ? "$" : value(of: name) }
    guard rest.first == "}" else { return "${" + name }
    advance()
    return value(of: name)
  }

  private func value(of name: String) -> String { variables[name] ?? environment[name] ?? "" }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || ("0"..."9").contains(scalar) || ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar)
  }

  private mutating func advance() {
    if rest.removeFirst() == "\n" { line += 1 }
  }

  private mutating func skipLine() { _ = take { $0 != "\n" } }

  private mutating func take(while isPart: (Unicode.Scalar) -> Bool) -> String {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return String(String.UnicodeScalarView(part))
  }
}

extension String {
  /// Without white space at both ends.
  fileprivate var trimmed: String {
    let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    guard let start = unicodeScalars.firstIndex(where: { !isSpace($0) }),
      let end = unicodeScalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(unicodeScalars[start...end])
  }
}
