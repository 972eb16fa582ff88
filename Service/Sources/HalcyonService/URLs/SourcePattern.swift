import Foundation

/// An entry of the list of allowed sources: scheme, host, port and the beginning of the path.
///
/// It is compared with the parts of a parsed URL, never with its text: `https://example.com` does not allow
/// `https://example.com@evil.example`, nor `https://example.com.evil.example`.
public struct SourcePattern: Hashable, Sendable {
  private let scheme: String
  /// The host, in lower case; without the `*.` of a wildcard.
  private let host: String
  private let matchesSubdomains: Bool
  private let port: Int
  /// The segments that a path begins with.
  private let path: [String]

  /// Parses `SCHEME://HOST:PORT/PATH` with the scheme `http` or `https`, where a host that begins with `*.` stands for all
  /// its subdomains, or `s3://BUCKET/PATH`. A scheme alone, such as `s3://`, stands for all its hosts or buckets.
  public init?(_ text: String) {
    if let scheme = ["http", "https", "s3"].first(where: { text == $0 + "://" }) {
      (self.scheme, host, port, path, matchesSubdomains) = (scheme, "", 0, [], false)
      return
    }
    let isWildcard = text.contains("://*.")
    let plain = isWildcard ? text.replacingOccurrences(of: "://*.", with: "://") : text
    guard let url = SourceURL(plain), url.query == nil else { return nil }
    (scheme, host, port, path) = (url.scheme, url.host, url.port, url.segments)
    matchesSubdomains = isWildcard
  }

  /// Whether the source is allowed.
  public func matches(_ url: SourceURL) -> Bool {
    guard url.scheme == scheme else { return false }
    if host.isEmpty { return true }
    return url.port == port
      && (matchesSubdomains
        ? url.host.utf8.reversed().starts(with: ("." + host).utf8.reversed()) : url.host.hasSameBytes(as: host))
      && url.segments.starts(with: path) { $0.hasSameBytes(as: $1) }
  }
}

extension SourcePattern: CustomStringConvertible {
  /// The pattern as it is written.
  public var description: String {
    if host.isEmpty { return scheme + "://" }
    let suffix = path.isEmpty ? "/" : "/" + path.joined(separator: "/") + "/"
    return "\(scheme)://\(matchesSubdomains ? "*." : "")\(host)\(port == 0 ? "" : ":\(port)")\(suffix)"
  }
}
