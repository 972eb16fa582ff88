/// The most recently used values by their keys, up to a total cost.
///
/// Every operation but ``removeAll(where:)`` is O(1); values are freed without the lock. Safe from any thread.
@_spi(Programs) public final class RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let costLimit: Int
  private let values = Lock(LRUMap<Key, Value>())

  /// Creates an empty table.
  ///
  /// - Parameter costLimit: The most cost of all values: their number, if each costs 1.
  public init(costLimit: Int) { self.costLimit = costLimit }

  package var isEmpty: Bool { values.withLock { $0.keys.isEmpty } }

  /// The value of a key, which is the most recently used one then.
  public subscript(key: Key) -> Value? { values.withLock { $0.use(key) } }

  /// Keeps a value, in place of the least recently used ones over the limit; a value that costs more alone is not kept.
  ///
  /// - Parameter replaces: Whether a value that the key has is replaced.
  /// - Returns: The value of the key.
  @discardableResult
  public func insert(_ value: Value, for key: Key, cost: Int = 1, replaces: Bool = true) -> Value {
    guard cost <= costLimit else {
      if replaces { remove(key) }
      return value
    }
    var dropped: [Value?] = []
    let kept = values.withLock { values in
      if !replaces, let value = values[key] { return value }
      dropped.append(values.insert(value, for: key, cost: cost))
      while values.cost > costLimit { dropped.append(values.removeFirst()) }
      return value
    }
    withExtendedLifetime(dropped) {}
    return kept
  }

  /// Removes a value.
  public func remove(_ key: Key) {
    let dropped = values.withLock { $0.remove(key) }
    withExtendedLifetime(dropped) {}
  }

  /// Removes the values of some keys. O(n).
  public func removeAll(where isRemoved: (Key) -> Bool) {
    let dropped = values.withLock { values in values.keys.filter(isRemoved).map { values.remove($0) } }
    withExtendedLifetime(dropped) {}
  }

  /// Removes all values.
  public func removeAll() { values.replace(with: LRUMap()) }
}
