import Foundation

extension WebAddress {
  /// The text of an `http` or `https` URL in the form that equal URLs share (RFC 3986, 6.2.2 and 6.2.3): scheme and host in
  /// lower case, no default port, a path, and no dot segments in it. `nil` if the text has this form, or is another URL.
  ///
  /// Escapes stay as they are: browsers distinguish `~` from `%7E`, too.
  package static func normalized(_ text: String) -> String? {
    guard text.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "h"), !isNormal(text) else { return nil }
    let bytes = Array(text.utf8)
    guard let length = webSchemeLength(bytes), bytes[length...].starts(with: "://".utf8) else { return nil }
    let scheme = String(decoding: bytes[..<length], as: UTF8.self).lowercased()
    let rest = bytes[(length + 3)...]
    let end = rest.firstIndex { isSlash($0) || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    guard end > rest.startIndex else { return nil }
    let reference = Reference(rest[end...])
    var result = Array("\(scheme)://".utf8) + normalizedAuthority(rest[..<end], scheme) + normalizedPath(reference.path)
    if let query = reference.query { result += [UInt8(ascii: "?")] + query }
    if let fragment = reference.fragment { result += [UInt8(ascii: "#")] + fragment }
    let normal = String(decoding: result, as: UTF8.self)
    return normal == text ? nil : normal
  }

  /// Without a default or empty port; the case of a user and a password stays.
  private static func normalizedAuthority(_ authority: ArraySlice<UInt8>, _ scheme: String) -> [UInt8] {
    let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
    var host = String(decoding: authority[start...], as: UTF8.self).lowercased()
    if let colon = host.lastIndex(of: ":"), [":", scheme == "https" ? ":443" : ":80"].contains(host[colon...]) {
      host = String(host[..<colon])
    }
    return authority[..<start] + Array(host.utf8)
  }

  /// Encoded dots are sent as they are, so that they make another URL.
  private static func normalizedPath(_ path: [UInt8]) -> [UInt8] {
    if path.isEmpty { return [UInt8(ascii: "/")] }
    return String(decoding: path, as: UTF8.self).lowercased().contains("%2e") ? path : withoutDots(path)
  }

  /// Whether a text surely has the normal form, as nearly every URL. Quick: each look-up in memory asks.
  private static func isNormal(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { isNormal($0) } ?? false
  }

  private static func isNormal(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let isSecure = bytes.starts(with: "https://".utf8)
    guard let base = bytes.baseAddress, isSecure || bytes.starts(with: "http://".utf8) else { return false }
    var (end, colon) = (isSecure ? 8 : 7, nil as Int?)
    while end < bytes.count, bytes[end] != UInt8(ascii: "/") {
      switch bytes[end] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
        UInt8(ascii: "-"):
        break
      case UInt8(ascii: ":") where colon == nil: colon = end
      default: return false
      }
      end += 1
    }
    guard end < bytes.count else { return false }
    if let colon, hasDefaultPort(bytes[(colon + 1)..<end], isSecure) { return false }
    // A segment that begins with a dot, nearly always none.
    while let dot = memchr(base + end, Int32(UInt8(ascii: ".")), bytes.count - end) {
      end = UnsafePointer(dot.assumingMemoryBound(to: UInt8.self)) - base
      if bytes[end - 1] == UInt8(ascii: "/") { return false }
      end += 1
    }
    return memchr(base, Int32(UInt8(ascii: "\\")), bytes.count) == nil
  }

  private static func hasDefaultPort(_ port: Slice<UnsafeBufferPointer<UInt8>>, _ isSecure: Bool) -> Bool {
    port.isEmpty || port.elementsEqual((isSecure ? "443" : "80").utf8)
  }
}
