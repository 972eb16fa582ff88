package import Foundation
import HalcyonSupport

/// Web addresses as people and servers write them: with spaces, backslashes, and some characters encoded.
///
/// Follows the URL standard (https://url.spec.whatwg.org, 4.4), except that what RFC 3986 does not allow in a URL is
/// encoded in any case, such as a percent sign that begins no escape: servers decode both to the same.
package enum WebAddress {
  private static let hexadecimal = Array("0123456789ABCDEF".utf8)
  /// Letters, digits, and the other characters that RFC 3986 allows in paths.
  private static let pathCharacters = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/".utf8)
  private static let queryCharacters = pathCharacters.union("?".utf8)

  /// The URL of an address, or of a reference relative to `base`; `nil` if there is none.
  ///
  /// - Parameter base: An `http` or `https` URL. Without one, an address with another scheme is left to Foundation.
  package static func url(_ text: String, relativeTo base: URL? = nil) -> URL? {
    var bytes = trimmed(text)
    let scheme: [UInt8]
    if let length = webSchemeLength(bytes) {
      scheme = bytes.prefix(length).map { $0 | 0x20 }
      bytes.removeFirst(length + 1)
    } else if let base, let baseScheme = base.scheme, !hasScheme(bytes) {
      return resolve(bytes, Array(baseScheme.lowercased().utf8), base)
    } else {
      return URL(string: String(decoding: bytes, as: UTF8.self))
    }
    if let base, base.scheme.map({ Array($0.lowercased().utf8) }) == scheme, !bytes.prefix(2).allSatisfy(isSlash) {
      return resolve(bytes, scheme, base)
    }
    return absolute(scheme, ArraySlice(bytes.drop(while: isSlash)))
  }

  /// Without white space and control characters around it, and without tabs and line ends within.
  private static func trimmed(_ text: String) -> [UInt8] {
    var bytes = ArraySlice(text.utf8).drop { $0 <= 0x20 }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    return bytes.filter { ![9, 10, 13].contains($0) }
  }

  /// The length of the scheme, if it is `http` or `https`.
  static func webSchemeLength(_ bytes: [UInt8]) -> Int? {
    guard let colon = bytes.prefix(6).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = bytes[..<colon].map { $0 | 0x20 }
    return scheme == Array("http".utf8) || scheme == Array("https".utf8) ? colon : nil
  }

  private static func hasScheme(_ bytes: [UInt8]) -> Bool {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
    return bytes[0].isASCIILetter
      && bytes[..<colon].allSatisfy { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
  }

  static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

  /// The URL of a scheme and the rest behind its slashes.
  private static func absolute(_ scheme: [UInt8], _ rest: ArraySlice<UInt8>) -> URL? {
    let end = rest.firstIndex { isSlash($0) || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    guard end > rest.startIndex else { return nil }
    return url(scheme, authority: rest[..<end], Reference(rest[end...]))
  }

  private static func resolve(_ bytes: [UInt8], _ scheme: [UInt8], _ base: URL) -> URL? {
    if bytes.count >= 2, bytes.prefix(2).allSatisfy(isSlash) {
      return absolute(scheme, ArraySlice(bytes.drop(while: isSlash)))
    }
    let text = Array(base.absoluteString.utf8)
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let rest = text[(colon + 1)...].drop(while: isSlash)
    let end = rest.firstIndex { isSlash($0) || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    let known = Reference(rest[end...])
    var reference = Reference(ArraySlice(bytes))
    if reference.path.isEmpty {
      reference.path = known.path
      if reference.query == nil { reference.query = known.query }
    } else if !isSlash(reference.path[0]) {
      let folder = known.path.lastIndex(of: UInt8(ascii: "/")).map { known.path[...$0] } ?? [UInt8(ascii: "/")]
      reference.path = folder + reference.path
    }
    return url(scheme, authority: rest[..<end], reference)
  }

  private static func url(_ scheme: [UInt8], authority: ArraySlice<UInt8>, _ reference: Reference) -> URL? {
    var bytes = scheme + Array("://".utf8) + authority
    bytes += encoded(withoutDots(reference.path), allowing: pathCharacters)
    if let query = reference.query { bytes += [UInt8(ascii: "?")] + encoded(query, allowing: queryCharacters) }
    if let fragment = reference.fragment { bytes += [UInt8(ascii: "#")] + encoded(fragment, allowing: queryCharacters) }
    return URL(string: String(decoding: bytes, as: UTF8.self))
  }

  /// What follows the authority.
  struct Reference {
    var path: [UInt8]
    var query: [UInt8]?
    var fragment: [UInt8]?

    init(_ bytes: ArraySlice<UInt8>) {
      var rest = bytes
      if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
        fragment = Array(rest[(hash + 1)...])
        rest = rest[..<hash]
      }
      if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
        query = Array(rest[(mark + 1)...])
        rest = rest[..<mark]
      }
      path = rest.map { isSlash($0) ? UInt8(ascii: "/") : $0 }
    }
  }

  /// A path without `.` and `..`, also encoded ones.
  static func withoutDots(_ path: [UInt8]) -> [UInt8] {
    guard !path.isEmpty else { return path }
    var segments: [ArraySlice<UInt8>] = []
    let all = path.dropFirst(path[0] == UInt8(ascii: "/") ? 1 : 0)
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, segment) in all.enumerated() {
      let isLast = index == all.count - 1
      switch String(decoding: segment, as: UTF8.self).lowercased().replacing("%2e", with: ".") {
      case ".": if isLast { segments.append([]) }
      case "..":
        _ = segments.popLast()
        if isLast { segments.append([]) }
      default: segments.append(segment)
      }
    }
    return [UInt8(ascii: "/")] + segments.joined(separator: [UInt8(ascii: "/")])
  }

  /// Escapes bytes that are not allowed; escapes that are there already stay.
  private static func encoded(_ bytes: [UInt8], allowing allowed: Set<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && bytes[index...].dropFirst().prefix(2).count(where: \.isHexadecimalDigit) == 2
      if isEscape || allowed.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
    }
    return result
  }
}
