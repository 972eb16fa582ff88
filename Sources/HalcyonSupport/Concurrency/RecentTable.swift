/// The most recently used values by their keys, up to a total cost.
///
/// Every operation but ``removeAll(where:)`` is O(1); values are freed without the lock. Safe from any thread.
@_spi(Programs) public final class RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// An entry of the list, in which the least recently used one is first.
  fileprivate struct Node: Sendable {
    let key: Key
    let value: Value
    let cost: Int
    var previous: Int?
    var next: Int?
  }

  fileprivate struct State: Sendable {
    var slots: [Key: Int] = [:]
    var nodes: [Node?] = []
    var freeSlots: [Int] = []
    var (first, last): (Int?, Int?) = (nil, nil)
    var cost = 0
  }

  private let costLimit: Int
  private let state = Lock(State())

  /// Creates an empty table.
  ///
  /// - Parameter costLimit: The most cost of all values: their number, if each costs 1.
  public init(costLimit: Int) { self.costLimit = costLimit }

  /// The value of a key, which is the most recently used one then.
  public subscript(key: Key) -> Value? {
    state.withLock { state in
      guard let slot = state.slots[key], let value = state.nodes[slot]?.value else { return nil }
      state.unlink(slot)
      state.append(slot)
      return value
    }
  }

  /// Keeps a value, in place of the least recently used ones over the limit; a value that costs more alone is not kept.
  ///
  /// - Parameter replaces: Whether a value that the key has is replaced.
  /// - Returns: The value of the key.
  @discardableResult
  public func insert(_ value: Value, for key: Key, cost: Int = 1, replaces: Bool = true) -> Value {
    guard cost <= costLimit else { return value }
    var dropped: [Node?] = []
    let kept = state.withLock { state in
      if let slot = state.slots[key] {
        if !replaces, let value = state.nodes[slot]?.value { return value }
        dropped.append(state.remove(slot))
      }
      state.insert(Node(key: key, value: value, cost: cost))
      while state.cost > costLimit, let first = state.first { dropped.append(state.remove(first)) }
      return value
    }
    withExtendedLifetime(dropped) {}
    return kept
  }

  /// Removes a value.
  public func remove(_ key: Key) {
    let dropped = state.withLock { state in state.slots[key].flatMap { state.remove($0) } }
    withExtendedLifetime(dropped) {}
  }

  /// Removes the values of some keys. O(n).
  public func removeAll(where isRemoved: (Key) -> Bool) {
    let dropped = state.withLock { state in
      state.slots.filter { isRemoved($0.key) }.map { state.remove($0.value) }
    }
    withExtendedLifetime(dropped) {}
  }

  /// Removes all values.
  public func removeAll() { state.replace(with: State()) }
}

extension RecentTable.State {
  fileprivate mutating func insert(_ node: RecentTable.Node) {
    let slot = freeSlots.popLast() ?? nodes.count
    if slot == nodes.count { nodes.append(node) } else { nodes[slot] = node }
    slots[node.key] = slot
    cost += node.cost
    append(slot)
  }

  fileprivate mutating func remove(_ slot: Int) -> RecentTable.Node? {
    unlink(slot)
    guard let node = nodes[slot] else { return nil }
    nodes[slot] = nil
    freeSlots.append(slot)
    slots[node.key] = nil
    cost -= node.cost
    return node
  }

  /// Makes an entry the last one.
  fileprivate mutating func append(_ slot: Int) {
    nodes[slot]?.previous = last
    nodes[slot]?.next = nil
    if let last { nodes[last]?.next = slot } else { first = slot }
    last = slot
  }

  /// Takes an entry out of the list.
  fileprivate mutating func unlink(_ slot: Int) {
    let (previous, next) = (nodes[slot]?.previous, nodes[slot]?.next)
    if let previous { nodes[previous]?.next = next } else { first = next }
    if let next { nodes[next]?.previous = previous } else { last = previous }
  }
}
