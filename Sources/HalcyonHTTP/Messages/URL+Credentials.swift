package import Foundation

extension URL {
  /// Whether the address names a user or a password.
  package var hasCredentials: Bool {
    // Only an address with this sign can have any: taking it apart takes far longer than looking for that.
    guard absoluteString.hasByte(UInt8(ascii: "@")) else { return false }
    return user(percentEncoded: true) != nil || password(percentEncoded: true) != nil
  }

  /// The address without user and password: fit to be written down.
  package var withoutCredentials: URL {
    guard hasCredentials, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    parts.user = nil
    parts.password = nil
    return parts.url ?? self
  }

  /// The address for a message: without user and password, and not longer than a few lines.
  package var printable: String {
    let text = withoutCredentials.absoluteString
    return text.utf8.count <= 300 ? text : text.prefix(200) + "…"
  }
}

extension String {
  /// Whether the UTF-8 of the text has this byte, asked of the memory where that can be done.
  package func hasByte(_ byte: UInt8) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.contains(byte) } ?? utf8.contains(byte)
  }
}
