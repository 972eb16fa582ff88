public import Foundation

/// An `http`, `https` or `s3` URL of a source, in its parts.
///
/// What URL parsers disagree about is refused: user names without a password, backslashes, control characters, spaces, and
/// segments `.` and `..` in any encoding, also between encoded slashes and backslashes (`%2F`, `%5C`), which are sent as they
/// are.
public struct SourceURL: Hashable, Sendable {
  /// The URL to fetch, without a user and password.
  public let url: URL
  /// The user and password as a value of `Authorization` (RFC 7617); `nil` without them.
  let authorization: String?
  /// `http`, `https` or `s3`.
  let scheme: String
  /// The host in lower case, without a trailing dot; for `s3` the bucket.
  let host: String
  /// The port, by default the scheme's.
  let port: Int
  /// Whether the port is that of the scheme.
  let hasDefaultPort: Bool
  /// The percent-decoded segments of the path, which encoded slashes and backslashes separate as well; empty ones are left
  /// out.
  let segments: [[UInt8]]
  let query: String?

  /// Parses an absolute URL; `nil` for any other text, and for an ambiguous URL.
  public init?(_ text: String) {
    guard text.utf8.count <= 8192, text.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value != 127 && $0 != "\\" }),
      var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      let host = parts.host?.lowercased(), !host.isEmpty, host != "."
    else { return nil }
    let authority = text.utf8.firstRange(of: "://".utf8).map {
      text[$0.upperBound...].utf8.prefix { !"/?#".utf8.contains($0) }
    }
    guard (authority?.count { $0 == UInt8(ascii: "@") } ?? 0) <= 1 else { return nil }
    authorization = parts.basicAuthorization
    guard authorization != nil || parts.percentEncodedUser == nil && parts.percentEncodedPassword == nil else {
      return nil
    }
    (parts.user, parts.password) = (nil, nil)
    guard let url = parts.url, url.host()?.lowercased() == host || parts.host?.hasPrefix("[") == true,
      scheme != "s3" || authorization == nil
    else { return nil }
    guard let defaultPort = ["http": 80, "https": 443, "s3": 0][scheme] else { return nil }
    guard let segments = Self.segments(of: parts.percentEncodedPath),
      !segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
    else { return nil }
    self.url = url
    self.scheme = scheme
    self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
    self.port = parts.port ?? defaultPort
    hasDefaultPort = self.port == defaultPort
    self.segments = segments
    query = parts.percentEncodedQuery
  }

  /// The decoded segments of a path; `nil` for one that cannot be decoded.
  static func segments(of path: some StringProtocol) -> [[UInt8]]? {
    guard let decoded = path.percentDecoded, !decoded.contains(0) else { return nil }
    return decoded.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { Array($0) }
  }
}

extension URLComponents {
  /// The credentials for `Authorization`, if there are both a user and a password.
  fileprivate var basicAuthorization: String? {
    guard let user = percentEncodedUser?.percentDecoded, let password = percentEncodedPassword?.percentDecoded,
      !user.isEmpty, !user.contains(UInt8(ascii: ":"))
    else { return nil }
    return "Basic " + Data(user + ":".utf8 + password).base64EncodedString()
  }
}
