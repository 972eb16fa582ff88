/// Changes of the source of a path before it is used: replacements of its beginning, and a base URL.
public struct SourceRewriting: Hashable, Sendable {
  /// The replacement of what a text begins with.
  public struct Replacement: Hashable, Sendable {
    /// The parts of the pattern between its wildcards.
    private let parts: [[UInt8]]
    private let result: String

    /// Parses `PATTERN=RESULT`: a `*` stands for any bytes but slashes, which `${1}`, `${2}` and so on repeat.
    public init?(_ text: String) {
      guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign != text.startIndex else { return nil }
      parts = text[..<sign].parts(between: "*").map { Array($0.utf8) }
      result = String(text[text.utf8.index(after: sign)...])
    }

    /// The text as it is written.
    var description: String {
      parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "*") + "=" + result
    }

    /// The text with its beginning replaced, if that matches.
    func applied(to text: String) -> String {
      let bytes = Array(text.utf8)
      guard bytes.starts(with: parts[0]),
        let (captures, end) = matches(bytes, from: parts[0].count, parts.dropFirst())
      else { return text }
      var expanded = result
      for (index, capture) in captures.enumerated().reversed() {
        let capture = String(decoding: capture, as: UTF8.self)
        expanded = expanded.replacing("${\(index + 1)}", with: capture).replacing("$\(index + 1)", with: capture)
      }
      return expanded + String(decoding: bytes[end...], as: UTF8.self)
    }

    /// The texts that the wildcards match, each as long as possible, and the end of the match.
    private func matches(
      _ bytes: [UInt8], from start: Int, _ parts: ArraySlice<[UInt8]>
    ) -> (captures: [ArraySlice<UInt8>], end: Int)? {
      guard let next = parts.first else { return ([], start) }
      let limit = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      for end in stride(from: limit, through: start, by: -1) where bytes[end...].starts(with: next) {
        if let rest = matches(bytes, from: end + next.count, parts.dropFirst()) {
          return ([bytes[start..<end]] + rest.captures, rest.end)
        }
      }
      return nil
    }
  }

  /// The prefix of every source, added to sources that lack it. Default: empty.
  public var baseURL = ""
  /// Replacements, applied in order before the base URL. Default: none.
  public var replacements: [Replacement] = []

  /// Creates a rewriting that changes nothing.
  public init() {}

  func applied(to source: String) -> String {
    let replaced = replacements.reduce(source) { $1.applied(to: $0) }
    return replaced.utf8.starts(with: baseURL.utf8) ? replaced : baseURL + replaced
  }
}
