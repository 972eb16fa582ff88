package import Foundation
import HalcyonSupport

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

  /// The URL for a message: without user and password, and shortened.
  package var printable: String {
    let url = withoutCredentials
    // Without a host, a user and a password may be anywhere, as in `http:/user:password@example.com`.
    let isClear = url.isFileURL || (url.host()?.isEmpty == false && !url.hasCredentials)
    return (isClear ? url.absoluteString : url.absoluteString.withoutUserInfo).printable
  }

  /// The text of a URL that is perhaps not valid, for a message.
  package static func printable(_ text: String) -> String {
    guard let url = URL(string: text), url.host()?.isEmpty == false else { return text.withoutUserInfo.printable }
    return url.printable
  }
}
