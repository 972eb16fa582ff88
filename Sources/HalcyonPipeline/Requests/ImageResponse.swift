public import HalcyonImaging
public import Foundation

/// An image, and how it was come by.
public struct ImageResponse: Sendable {
  /// The image.
  public var image: DecodedImage
  /// Which tier had it.
  public var origin: ImageOrigin
  /// The address that gave the bytes, after redirects; `nil` for an image from memory.
  public var url: URL?
  /// Encoded bytes; `nil` for an image from memory.
  public var encodedByteCount: Int?
  /// What was done, and how long it took.
  public var trace: LoadTrace

  package init(
    image: DecodedImage, origin: ImageOrigin, url: URL? = nil, encodedByteCount: Int? = nil, trace: LoadTrace
  ) {
    self.image = image
    self.origin = origin
    self.url = url
    self.encodedByteCount = encodedByteCount
    self.trace = trace
  }
}

/// Where an image came from.
@nonexhaustive
public enum ImageOrigin: String, Hashable, Sendable {
  /// Decoded, from memory.
  case memory
  /// Encoded, from the store: usually the disk.
  case store
  /// Over the network.
  case network
  /// From a file of the user's.
  case file
  /// From the address itself, or from bytes that the request brought along.
  case inline
  /// From a closure of the caller's.
  case provider
}
