package import Foundation

/// An `http` or `https` URL with its origin, parsed once. By reference, since the steps of a load pass it along.
package final class HTTPURL: Sendable {
  package let url: URL
  package let origin: Origin

  /// `nil` if the URL has another scheme, or no host.
  package init?(_ url: URL) {
    guard let origin = Origin(url) else { return nil }
    self.url = url
    self.origin = origin
  }
}

/// The scheme, host and port of a URL; credentials are sent only to the origin they are meant for (RFC 6454, 4).
package struct Origin: Hashable, Sendable {
  package let scheme: String
  package let host: String
  package let port: Int

  /// `nil` if the scheme is not `http` or `https`, or there is no host.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: false)?.lowercased(),
      !host.isEmpty, scheme == "http" || scheme == "https"
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }
}
