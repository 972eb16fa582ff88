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

/// What a tier says when it is asked for a key.
public enum CacheResult<Value: Sendable>: Sendable {
  /// It has this.
  case hit(Value)
  /// It has nothing to give.
  case miss(CacheMiss)

  /// What it has.
  public var value: Value? {
    if case .hit(let value) = self { value } else { nil }
  }

  /// Why it has nothing.
  public var miss: CacheMiss? {
    if case .miss(let miss) = self { miss } else { nil }
  }
}
