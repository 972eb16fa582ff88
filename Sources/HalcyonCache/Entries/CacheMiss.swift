/// Why a tier did not give an image.
@nonexhaustive
public enum CacheMiss: String, Hashable, Sendable {
  /// Nobody looked: there is no such tier, or the request does not read it.
  case notRead = "not read"
  /// There is nothing under the key.
  case absent
  /// There was something, whose time had passed.
  case expired
  /// There is something, but its server has to be asked whether it still holds.
  case stale
  /// There was something that was not whole, or no image.
  case damaged
  /// The tier could not be read.
  case failed
}
