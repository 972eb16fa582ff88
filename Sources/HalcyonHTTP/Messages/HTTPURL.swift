package import Foundation

/// An `http` or `https` URL with its origin, parsed once.
package struct HTTPURL: Sendable {
  package let url: URL
  package let origin: Origin

  /// `nil` if the URL has another scheme, or no host.
  package init?(_ url: URL) {
    guard let origin = Origin(url) else { return nil }
    self.url = url
    self.origin = origin
  }
}

/// Scheme, host and port: what has to be equal before credentials may go along (RFC 6454, 4).
package struct Origin: Hashable, Sendable {
  let scheme: String
  let host: String
  let port: Int

  /// `nil` for an address that is not `http` or `https`, or has no host.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: false)?.lowercased(),
      !host.isEmpty, scheme == "http" || scheme == "https"
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }
}
