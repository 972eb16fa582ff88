/// Values by their keys in the order of their last use, each with a cost, as a value without a limit.
///
/// Every operation on one key is O(1).
package struct LRUMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// An entry of the list, in which the least recently used one is first.
  private struct Node: Sendable {
    let key: Key
    var value: Value
    let cost: Int
    var previous: Int?
    var next: Int?
  }

  private var slots: [Key: Int] = [:]
  private var nodes: [Node?] = []
  private var freeSlots: [Int] = []
  private var (first, last): (Int?, Int?) = (nil, nil)
  /// The cost of all values.
  package private(set) var cost = 0

  package init() {}

  package var keys: Dictionary<Key, Int>.Keys { slots.keys }

  /// The value of a key. Reading does not count as use; setting another value does not either, and keeps the cost.
  package subscript(key: Key) -> Value? {
    get { slots[key].flatMap { nodes[$0]?.value } }
    set { if let slot = slots[key], let newValue { nodes[slot]?.value = newValue } }
  }

  /// The value of a key, which is the most recently used one then.
  package mutating func use(_ key: Key) -> Value? {
    guard let slot = slots[key] else { return nil }
    unlink(slot)
    append(slot)
    return nodes[slot]?.value
  }

  /// Adds a value as the most recently used one.
  ///
  /// - Returns: The value that it replaces.
  package mutating func insert(_ value: Value, for key: Key, cost: Int) -> Value? {
    let replaced = remove(key)
    let slot = freeSlots.popLast() ?? nodes.count
    let node = Node(key: key, value: value, cost: cost)
    if slot == nodes.count { nodes.append(node) } else { nodes[slot] = node }
    slots[key] = slot
    self.cost += cost
    append(slot)
    return replaced
  }

  /// Removes a value, and returns it.
  package mutating func remove(_ key: Key) -> Value? {
    guard let slot = slots.removeValue(forKey: key), let node = nodes[slot] else { return nil }
    unlink(slot)
    nodes[slot] = nil
    freeSlots.append(slot)
    cost -= node.cost
    return node.value
  }

  /// Removes the least recently used value, and returns it.
  package mutating func removeFirst() -> Value? {
    first.flatMap { nodes[$0]?.key }.flatMap { remove($0) }
  }

  /// Makes an entry the last one.
  private mutating func append(_ slot: Int) {
    nodes[slot]?.previous = last
    nodes[slot]?.next = nil
    if let last { nodes[last]?.next = slot } else { first = slot }
    last = slot
  }

  /// Takes an entry out of the list.
  private mutating func unlink(_ slot: Int) {
    let (previous, next) = (nodes[slot]?.previous, nodes[slot]?.next)
    if let previous { nodes[previous]?.next = next } else { first = next }
    if let next { nodes[next]?.previous = previous } else { last = previous }
  }
}
