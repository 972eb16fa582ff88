package import Foundation

extension URL {
  /// Whether the URL contains a user or a password.
  package var hasCredentials: Bool {
    // Without an @ there are none; searching for it is far faster than parsing the URL.
    guard absoluteString.hasByte(UInt8(ascii: "@")) else { return false }
    return user(percentEncoded: true) != nil || password(percentEncoded: true) != nil
  }

  /// The URL without user and password, safe to log or store.
  package var withoutCredentials: URL {
    guard hasCredentials, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    parts.user = nil
    parts.password = nil
    return parts.url ?? self
  }
}
