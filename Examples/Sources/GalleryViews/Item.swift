package import Foundation

/// A picture of the gallery.
package struct Item: Sendable {
  /// What is written below it.
  package var title: String
  /// What is written on it.
  package var badge: String
  /// Where it is.
  package var url: URL

  /// Creates an item.
  package init(title: String, badge: String, url: URL) {
    (self.title, self.badge, self.url) = (title, badge, url)
  }
}
