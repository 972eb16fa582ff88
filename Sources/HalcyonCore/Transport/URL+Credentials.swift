import Foundation

extension URL {
  /// Whether the address names a user or a password.
  var hasCredentials: Bool {
    // Only an address with this sign can have any: taking it apart takes far longer than looking for that.
    guard absoluteString.utf8.contains(UInt8(ascii: "@")) else { return false }
    return user(percentEncoded: true) != nil || password(percentEncoded: true) != nil
  }

  /// The address without user and password: fit to be written down.
  var withoutCredentials: URL {
    guard hasCredentials, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    parts.user = nil
    parts.password = nil
    return parts.url ?? self
  }

  /// The address for a message: without user and password, and not longer than a few lines.
  var printable: String {
    let text = withoutCredentials.absoluteString
    return text.utf8.count <= 300 ? text : text.prefix(200) + "…"
  }
}
