/// The tier or source that an image came from.
@nonexhaustive
public enum ImageOrigin: String, Hashable, Sendable {
  /// Decoded, from memory.
  case memory
  /// Encoded, from the store (usually the disk cache).
  case store
  /// From the network.
  case network
  /// From a file URL.
  case file
  /// From a `data:` URL, or from bytes in the request.
  case inline
  /// From the closure of an ``ImageSource``.
  case provider
}
