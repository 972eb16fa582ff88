import Foundation

extension WebAddress {
  /// The text of an `http` or `https` URL in the form that equal URLs share (RFC 3986, 6.2.2 and 6.2.3): scheme and
  /// host in lower case, no default port, a path, and no dot segments in it. `nil` if the text has this form, or is
  /// another URL. Slow: check ``isNormal(_:)`` first.
  ///
  /// Escapes stay as they are: browsers distinguish `~` from `%7E`, too.
  package static func normalized(_ text: String) -> String? {
    guard text.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "h") else { return nil }
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

  /// Whether a text certainly has the normal form, without a user and a fragment, as nearly all URLs do.
  ///
  /// Called by each look-up in memory, so the loops have no branches, and the compiler vectorises them.
  package static func isNormal(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { isNormal($0) } ?? false
  }

  private static func isNormal(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let isSecure = bytes.hasPrefix("https://")
    guard let base = bytes.baseAddress, isSecure || bytes.hasPrefix("http://") else { return false }
    let start = base + (isSecure ? 8 : 7)
    guard let slash = memchr(start, Int32(UInt8(ascii: "/")), bytes.count - (start - base)) else { return false }
    let end = UnsafePointer(slash.assumingMemoryBound(to: UInt8.self))
    let authority = UnsafeBufferPointer(start: start, count: end - start)
    guard isHost(authority) || isHostWithOtherPort(authority, isSecure) else { return false }
    return isNormalPath(UnsafeBufferPointer(start: end, count: bytes.count - (end - base)))
  }

  /// Whether the bytes are lower case letters, digits, “-” and “.”.
  @inline(__always)
  private static func isHost(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var others: UInt8 = 0
    for byte in bytes {
      // The second range includes the slash, which cannot occur here.
      others |= flag(byte &- UInt8(ascii: "a") >= 26) & flag(byte &- UInt8(ascii: "-") >= 13)
    }
    return others == 0 && !bytes.isEmpty
  }

  private static func isHostWithOtherPort(_ bytes: UnsafeBufferPointer<UInt8>, _ isSecure: Bool) -> Bool {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isHost(UnsafeBufferPointer(rebasing: bytes[..<colon]))
    else { return false }
    let port = bytes[(colon + 1)...]
    return !port.isEmpty && port.allSatisfy { (48...57).contains($0) }
      && !port.elementsEqual((isSecure ? "443" : "80").utf8)
  }

  /// Whether no segment begins with a dot, and there is neither a fragment nor a backslash, as in nearly all URLs.
  ///
  /// - Parameter bytes: The text from the slash after the host on.
  @inline(__always)
  private static func isNormalPath(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    var others: UInt8 = 0
    for index in 1..<max(bytes.count, 1) {
      let (byte, last) = (base[index], base[index &- 1])
      others |=
        (flag(byte == UInt8(ascii: ".")) & flag(last == UInt8(ascii: "/")))
        | flag(byte == UInt8(ascii: "#")) | flag(byte == UInt8(ascii: "\\"))
    }
    return others == 0
  }

  @inline(__always)
  private static func flag(_ isSet: Bool) -> UInt8 { isSet ? 1 : 0 }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func hasPrefix(_ prefix: StaticString) -> Bool {
    guard let baseAddress, count >= prefix.utf8CodeUnitCount else { return false }
    return memcmp(baseAddress, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
  }
}
