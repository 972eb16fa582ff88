package import Foundation
import HalcyonSupport

/// URLs in messages and logs: without secrets, on one line.
extension URL {
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

extension String {
  /// The text of a URL that may be malformed, without user and password, which end at the last `@`.
  package var withoutUserInfo: String {
    guard let at = utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
    let slashes = zip(utf8.indices, utf8.indices.dropFirst()).first {
      utf8[$0] == UInt8(ascii: "/") && utf8[$1] == UInt8(ascii: "/")
    }
    guard let slashes, slashes.1 < at else { return "…" + self[at...] }
    return self[...slashes.1] + "…" + self[at...]
  }
}
