package import Foundation

/// An image on the server.
package struct GalleryImage: Sendable {
  /// The caption.
  package var title: String
  /// The format, or another property that sets it apart.
  package var badge: String
  /// The URL on the server.
  package var url: URL

  /// Creates a description.
  package init(title: String, badge: String, url: URL) {
    self.title = title
    self.badge = badge
    self.url = url
  }
}
