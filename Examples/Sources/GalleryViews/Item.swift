package import Foundation

/// An image of the gallery.
package struct Item: Sendable {
  /// The caption.
  package var title: String
  /// The text of the badge.
  package var badge: String
  /// The URL of the image.
  package var url: URL

  /// Creates an item.
  package init(title: String, badge: String, url: URL) {
    (self.title, self.badge, self.url) = (title, badge, url)
  }
}
