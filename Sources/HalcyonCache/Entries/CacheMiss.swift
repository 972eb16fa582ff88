/// Why a tier has no usable entry for a key.
@nonexhaustive
public enum CacheMiss: String, Hashable, Sendable {
  /// The tier was not read: it does not exist, or the request does not read it.
  case notRead = "not read"
  /// The key has no entry.
  case absent
  /// The key has only the beginning of an entry, from an interrupted download.
  case partial
  /// The entry was expired.
  case expired
  /// The stored response is stale and must be revalidated.
  case stale
  /// The entry was incomplete or corrupt, or is not an image.
  case damaged
  /// The entry was written by a version of the library with another format.
  case otherFormat = "other format"
  /// Reading the tier failed.
  case failed
}
