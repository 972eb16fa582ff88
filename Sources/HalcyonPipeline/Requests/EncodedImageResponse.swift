public import Foundation
package import HalcyonImaging

/// An encoded image, its origin, and the headers of the response that it was made from.
public struct EncodedImageResponse: Sendable {
  /// The file.
  public var data: Data
  /// The tier or source of the bytes that it was made from.
  public var origin: ImageOrigin
  /// Whether the file had been made before and was in the store, so that nothing was decoded and encoded.
  public var wasStored: Bool
  /// The tier of a `TieredStore` in which the file was; `nil` if it was not stored, or in another store.
  public var storeTier: String?
  /// The status and headers of the response that the image was made from, as they are stored; `nil` for sources other
  /// than HTTP.
  ///
  /// If redirects led to it, its `Cache-Control` has a `max-age` of ``freshness``, since each redirect has a freshness of
  /// its own.
  public var head: ResponseHead?
  /// For how long the file needs no revalidation; `nil` for sources other than HTTP. Zero for a response that must not be
  /// stored.
  public var freshness: Duration?
  /// The format of the file; `nil` for that which its first bytes indicate.
  package var format: ImageFormat?

  /// Creates a response, for tests.
  public init(
    data: Data, origin: ImageOrigin, wasStored: Bool = false, storeTier: String? = nil,
    head: ResponseHead? = nil, freshness: Duration? = nil
  ) {
    self.data = data
    self.origin = origin
    self.wasStored = wasStored
    self.storeTier = storeTier
    self.head = head
    self.freshness = freshness
  }
}
