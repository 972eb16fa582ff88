/// Changes of the source of a path before it is used: replacements of its beginning, and a base URL.
public struct SourceRewriting: Hashable, Sendable {
  /// Replaces the beginning of a text.
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
      var expanded: [UInt8] = []
      var rest = Array(result.utf8)[...]
      while let byte = rest.popFirst() {
        let isReference = byte == UInt8(ascii: "$")
        if isReference, let capture = Self.reference(in: &rest, captures) {
          expanded += capture
        } else {
          expanded.append(byte)
        }
      }
      return String(decoding: expanded + bytes[end...], as: UTF8.self)
    }

    /// Takes the number after a dollar sign, in braces or not, and returns its capture; `nil`, and takes nothing, without one.
    private static func reference(
      in rest: inout ArraySlice<UInt8>, _ captures: [ArraySlice<UInt8>]
    ) -> ArraySlice<UInt8>? {
      let isInBraces = rest.first == UInt8(ascii: "{")
      let digits = rest.dropFirst(isInBraces ? 1 : 0).prefix { (48...57).contains($0) }
      let end = rest[digits.endIndex...]
      guard !isInBraces || end.first == UInt8(ascii: "}"),
        let number = Int(String(decoding: digits, as: UTF8.self)), (1...max(1, captures.count)).contains(number),
        !captures.isEmpty
      else { return nil }
      rest = end.dropFirst(isInBraces ? 1 : 0)
      return captures[number - 1]
    }

    /// The texts that the wildcards match, each as long as possible, and the end of the match; in a time that grows with the
    /// bytes, not with what the wildcards could match together.
    private func matches(
      _ bytes: [UInt8], from start: Int, _ parts: ArraySlice<[UInt8]>
    ) -> (captures: [ArraySlice<UInt8>], end: Int)? {
      // For each wildcard, the last one first, where it ends if it begins at a byte; a segment ends it. Whatever is after the
      // last part matches.
      var ends: [[Int?]] = []
      for part in parts.reversed() {
        var end: Int?
        let next = ends.last
        var places = [Int?](repeating: nil, count: bytes.count + 1)
        for place in stride(from: bytes.count, through: start, by: -1) {
          if place < bytes.count, bytes[place] == UInt8(ascii: "/") { end = nil }
          let isMatch = bytes[place...].starts(with: part)
          if end == nil, isMatch, next.map({ $0[place + part.count] != nil }) ?? true { end = place }
          places[place] = end
        }
        ends.append(places)
      }
      var captures: [ArraySlice<UInt8>] = []
      var place = start
      for (part, places) in zip(parts, ends.reversed()) {
        guard let end = places[place] else { return nil }
        captures.append(bytes[place..<end])
        place = end + part.count
      }
      return (captures, place)
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
