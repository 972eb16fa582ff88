package import Foundation

/// A picture of the gallery.
package struct GalleryPicture: Sendable {
  /// What is written below it.
  package var title: String
  /// The format, or what is special about it.
  package var badge: String
  /// Where it is.
  package var url: URL

  /// Creates a description.
  package init(title: String, badge: String, url: URL) {
    self.title = title
    self.badge = badge
    self.url = url
  }
}
