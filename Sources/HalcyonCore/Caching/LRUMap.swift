/// Values with costs in the order of their last use. Every operation takes constant time, save `trim` and `removeAll`.
struct LRUMap<Key: Hashable, Value> {
  private struct Node {
    var key: Key
    var value: Value
    var cost: Int
    var newer: Int?
    var older: Int?
  }

  private(set) var totalCost = 0
  private var indices: [Key: Int] = [:]
  private var nodes: [Node?] = []
  private var vacant: [Int] = []
  private var newest: Int?
  private var oldest: Int?

  var count: Int { indices.count }

  /// The value; it becomes the most recently used.
  mutating func value(for key: Key) -> Value? {
    guard let index = indices[key] else { return nil }
    unlink(index)
    linkAsNewest(index)
    return nodes[index]?.value
  }

  /// The value; the order stays.
  func peek(_ key: Key) -> Value? {
    indices[key].flatMap { nodes[$0]?.value }
  }

  mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard let index = indices[key] else { return }
    if var node = nodes[index] {
      change(&node.value)
      nodes[index] = node
    }
  }

  /// Adds a value as the most recently used. The key must not be there.
  mutating func insert(_ value: Value, for key: Key, cost: Int) {
    let node = Node(key: key, value: value, cost: cost)
    let index: Int
    if let reused = vacant.popLast() {
      index = reused
      nodes[index] = node
    } else {
      index = nodes.count
      nodes.append(node)
    }
    let replaced = indices.updateValue(index, forKey: key)
    precondition(replaced == nil, "insert() needs a key that is not there")
    totalCost += cost
    linkAsNewest(index)
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    guard let index = indices.removeValue(forKey: key), let node = nodes[index] else { return nil }
    unlink(index)
    nodes[index] = nil
    vacant.append(index)
    totalCost -= node.cost
    return node.value
  }

  /// Removes the least recently used until both limits hold, and returns what was removed.
  mutating func trim(costLimit: Int, countLimit: Int) -> [Value] {
    var removed: [Value] = []
    while totalCost > costLimit || count > countLimit, let index = oldest, let node = nodes[index] {
      if let value = remove(node.key) { removed.append(value) }
    }
    return removed
  }

  mutating func removeAll() -> [Value] {
    let removed = nodes.compactMap { $0?.value }
    self = LRUMap()
    return removed
  }

  private mutating func linkAsNewest(_ index: Int) {
    nodes[index]?.older = newest
    nodes[index]?.newer = nil
    if let newest { nodes[newest]?.newer = index } else { oldest = index }
    newest = index
  }

  private mutating func unlink(_ index: Int) {
    guard let node = nodes[index] else { return }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
  }
}
