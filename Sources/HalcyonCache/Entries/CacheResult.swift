/// The result of looking up a key in a tier.
public enum CacheResult<Value: Sendable>: Sendable {
  /// The value stored under the key.
  case hit(Value)
  /// The reason why there is no usable value.
  case miss(CacheMiss)

  /// The value; `nil` on a miss.
  public var value: Value? {
    if case .hit(let value) = self { value } else { nil }
  }

  /// The reason of a miss; `nil` on a hit.
  public var miss: CacheMiss? {
    if case .miss(let miss) = self { miss } else { nil }
  }
}
