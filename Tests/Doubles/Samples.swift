import Foundation
package import HalcyonCache
import HalcyonHTTP
package import HalcyonImaging

/// An image in memory whose bytes are all zero.
package func solidImage(_ width: Int = 10, _ height: Int = 10) throws -> DecodedImage {
  let size = PixelSize(width: width, height: height)
  return DecodedImage(
    bitmap: try Bitmap(size: size, isOpaque: true) { _ in }, info: ImageInfo(format: .bmp, storedSize: size))
}

extension EntryMetadata {
  /// Metadata with a value in every property.
  package static let example = EntryMetadata(
    url: URL(string: "https://example.com/a.jpg"), status: 200, headers: ["ETag": "\"ä\"", "Vary": "Accept"],
    requestDate: Date(timeIntervalSince1970: 1), responseDate: Date(timeIntervalSince1970: 2.5),
    expiration: .days(3), tags: ["trip", "2026"])
}
