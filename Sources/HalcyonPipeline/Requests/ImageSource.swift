import HalcyonSupport
public import Foundation

/// The source of an image.
///
/// ```swift
/// let photo = ImageRequest(source: .url(url))
/// let icon = ImageRequest(source: .data(bytes, key: "icon"))
/// let cover = ImageRequest(source: .provider(ImageProvider(key: "book/7/cover") { try Data(contentsOf: file) }))
/// ```
@nonexhaustive
public enum ImageSource: Hashable, Sendable {
  /// An `http`, `https`, `file` or `data` URL.
  case url(URL)
  /// The text of such a URL, parsed when the image is loaded.
  case string(String)
  /// A URL that may change, and a cache key that does not: see ``SignedURL``.
  case keyed(URL, key: String)
  /// Encoded bytes, and a cache key chosen by the caller.
  case data(Data, key: String)
  /// A closure that returns the encoded bytes.
  case provider(ImageProvider)
  /// A closure that returns the decoded image.
  case decoded(DecodedImageProvider)
  /// A closure that returns the URL, called only when no cache has the image.
  case resolver(URLResolver)
}

extension ImageSource {
  /// Encoded bytes, with their hash as the cache key. Hashes all bytes on each call.
  public static func data(_ data: Data) -> ImageSource { .data(data, key: KeyDigest(data).hexadecimal) }
}
