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
