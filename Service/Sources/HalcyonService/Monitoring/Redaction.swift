import Foundation
@_spi(Programs) import HalcyonProcessing

/// Texts for the log without what gives access to anything.
enum Redaction {
  /// Stands for what is left out.
  static let omission = "…"
  private static let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })

  /// The length of a text, and a hash with a key that only this process has.
  static func digest(of text: String) -> String {
    let hash = SHA256.authenticationCode(of: Data(text.utf8), key: key)
    let digits = hash.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(omission)(\(text.utf8.count):\(digits))"
  }

  /// Whether a text has letters and digits of ASCII, and what separates arguments, only.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0.isLetterOrDigit || "-_.:,~".utf8.contains($0) }
  }

  /// The text of an error without the user, the password and the query of any URL in it.
  static func text(_ text: String) -> String {
    text.parts(between: " ").map { word in
      if word.utf8.firstRange(of: "://".utf8) != nil { return source(word) ?? digest(of: word) }
      let bytes = Array(word.utf8)
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
      let at = bytes.lastIndex(of: UInt8(ascii: "@")).flatMap { (colon ?? $0) < $0 ? $0 : nil }
      let query = bytes.dropLast().firstIndex(of: UInt8(ascii: "?"))
      guard at != nil || query != nil else { return removingEncodedURLs(word) }
      let shown = bytes[(at ?? 0)...max(at ?? 0, query ?? bytes.count - 1)]
      return (at == nil ? "" : omission) + String(decoding: shown, as: UTF8.self) + (query == nil ? "" : omission)
    }.joined(separator: " ")
  }

  /// A URL without what is before an `@` and what is after a `?` or `#`, also percent-encoded ones; `nil` for any other text.
  static func source(_ text: String) -> String? {
    guard let separator = text.utf8.firstRange(of: "://".utf8) else { return nil }
    let scheme = text[..<separator.lowerBound]
    guard (1...20).contains(scheme.utf8.count), isScheme(scheme.utf8) else { return nil }
    let bytes = DecodedBytes(String(text[separator.upperBound...]))
    let end = bytes.firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
    let at = bytes[..<end].lastIndex(of: UInt8(ascii: "@"))
    let isCut = end < bytes.endIndex
    let shown = removingEncodedURLs(bytes.text((at ?? 0)..<(isCut ? end + 1 : end))).replacing(" ", with: "%20")
    return "\(scheme)://\(at == nil ? "" : omission)\(shown)\(isCut ? omission : "")"
  }

  /// A text without the URLs in Base64 in it, of which slashes may be a part.
  static func removingEncodedURLs(_ text: String) -> String {
    var bytes = Array(text.utf8)
    var place = 0
    while place < bytes.count {
      let isStart = bytes[place].isLetterOrDigit && (place == 0 || !bytes[place - 1].isLetterOrDigit)
      let run = bytes[place...].prefix(while: { isStart && (isBase64($0) || "/=".utf8.contains($0)) })
      if isEncodedURL(run) {
        bytes.replaceSubrange(run.indices, with: omission.utf8)
        place += omission.utf8.count
      } else {
        place += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether Base64 begins with a scheme and a colon.
  private static func isEncodedURL(_ run: ArraySlice<UInt8>) -> Bool {
    let beginning = Array(run.lazy.filter(isBase64).prefix(32))
    let text = String(decoding: beginning.prefix(beginning.count / 4 * 4), as: UTF8.self)
    guard let decoded = Base64URL.decode(text), let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
      colon >= decoded.startIndex + 2
    else { return false }
    return isScheme(decoded[..<colon])
  }

  /// Whether bytes are a scheme (RFC 3986, 3.1).
  private static func isScheme(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.first.map { $0.isLetterOrDigit && $0 > 57 } == true
      && bytes.allSatisfy { $0.isLetterOrDigit || "+.-".utf8.contains($0) }
  }

  private static func isBase64(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "+-_".utf8.contains(byte) }
}

extension UInt8 {
  /// Whether the byte is a letter or digit of ASCII.
  var isLetterOrDigit: Bool { (48...57).contains(self) || (97...122).contains(self | 0x20) }
}

/// The bytes of a text, with those that are percent-encoded decoded.
private struct DecodedBytes: RandomAccessCollection {
  private let bytes: [UInt8]
  private let decoded: [UInt8]
  /// Where each decoded byte begins, and the end.
  private let places: [Int]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var places: [Int] = []
    var place = 0
    while place < bytes.count {
      places.append(place)
      if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[(place + 1)...(place + 2)], as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        place += 3
      } else {
        decoded.append(bytes[place])
        place += 1
      }
    }
    (self.decoded, self.places) = (decoded, places + [place])
  }

  var startIndex: Int { 0 }
  var endIndex: Int { decoded.count }

  subscript(index: Int) -> UInt8 { decoded[index] }

  /// The text of a range, as it was.
  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[places[range.lowerBound]..<places[range.upperBound]], as: UTF8.self)
  }
}
