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
