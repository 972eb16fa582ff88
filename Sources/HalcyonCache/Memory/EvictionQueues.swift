import HalcyonSupport

/// The eviction order of a memory cache, by node and cost.
///
/// The adaptive policy is S3-FIFO: new entries go to the small queue, entries read there again move to the main queue,
/// both first-in-first-out. The digests of evicted entries go to a ghost queue for each of the two. A new entry found in
/// a ghost queue goes to the main queue directly and shows which queue was too small, which adapts the small queue's
/// share of the limit. The LRU policy uses the main queue only.
struct EvictionQueues: Sendable {
  /// The entry that the policy considers next for eviction.
  struct Candidate {
    var node: Int
    var isInSmallQueue: Bool
  }

  private enum Queue: Int {
    case small, main
  }

  private struct Node {
    var digest: KeyDigest
    var cost: Int
    var queue: Queue
  }

  var policy: EvictionPolicy {
    didSet { if policy == .leastRecentlyUsed { mergeSmallQueue() } }
  }
  private(set) var count = 0
  private var smallCost = 0
  private var mainCost = 0
  private var smallShare = 0.25
  private var lists = LinkedLists(listCount: 2)
  private var nodes: [Node] = []
  private var smallGhosts = GhostQueue()
  private var mainGhosts = GhostQueue()

  init(policy: EvictionPolicy) {
    self.policy = policy
  }

  /// The cost of all entries.
  var totalCost: Int { smallCost + mainCost }

  /// Removes the ghost of a new entry and adapts the share of the small queue; to be called before evicting for it.
  ///
  /// - Returns: Whether the entry goes to the main queue directly.
  mutating func consumeGhost(_ digest: KeyDigest, cost: Int, capacity: Int) -> Bool {
    guard policy == .adaptive else { return true }
    let step = Double(cost) / 4 / Double(max(capacity, 1))
    let (small, main) = (Double(max(smallGhosts.totalCost, 1)), Double(max(mainGhosts.totalCost, 1)))
    if smallGhosts.remove(digest) {
      smallShare = min(0.7, smallShare + max(1, main / small) * step)
      return true
    }
    if mainGhosts.remove(digest) {
      smallShare = max(0.1, smallShare - max(1, small / main) * step)
      return true
    }
    return false
  }

  /// Adds an entry at the head of its queue.
  mutating func insert(_ node: Int, digest: KeyDigest, cost: Int, entersMainQueue: Bool) {
    let queue: Queue = entersMainQueue || policy == .leastRecentlyUsed ? .main : .small
    let entry = Node(digest: digest, cost: cost, queue: queue)
    if node < nodes.count { nodes[node] = entry } else { nodes.append(entry) }
    lists.prepend(node, to: queue.rawValue)
    addCost(cost, to: queue)
    count += 1
  }

  /// Moves an entry that was read to the head of its queue; under the LRU policy only.
  mutating func bump(_ node: Int) {
    guard policy == .leastRecentlyUsed else { return }
    lists.prepend(node, to: nodes[node].queue.rawValue)
  }

  /// The entry to evict next, unless it was read since it was last considered.
  func candidate(capacity: Int) -> Candidate? {
    let isSmallQueueFull = Double(smallCost) > smallShare * Double(capacity)
    let main = lists.last(of: Queue.main.rawValue).map { Candidate(node: $0, isInSmallQueue: false) }
    if let main, !isSmallQueueFull { return main }
    return lists.last(of: Queue.small.rawValue).map { Candidate(node: $0, isInSmallQueue: true) } ?? main
  }

  /// Moves a candidate that was read to the head of the main queue.
  mutating func promote(_ candidate: Candidate) {
    move(candidate.node, to: .main)
  }

  /// Removes a candidate, and adds its digest to the ghost queue.
  mutating func evict(_ candidate: Candidate, capacity: Int) {
    let node = nodes[candidate.node]
    remove(candidate.node)
    guard policy == .adaptive else { return }
    let (costLimit, countLimit) = (capacity / 2, 2 * max(count, 1))
    switch node.queue {
    case .small:
      smallGhosts.insert(node.digest, cost: node.cost, costLimit: costLimit, countLimit: countLimit)
    case .main:
      mainGhosts.insert(node.digest, cost: node.cost, costLimit: costLimit, countLimit: countLimit)
    }
  }

  /// Removes an entry without leaving a ghost.
  mutating func remove(_ node: Int) {
    lists.remove(node)
    addCost(-nodes[node].cost, to: nodes[node].queue)
    count -= 1
  }

  func digest(of node: Int) -> KeyDigest { nodes[node].digest }

  func isInSmallQueue(_ node: Int) -> Bool { nodes[node].queue == .small }

  private mutating func mergeSmallQueue() {
    for node in lists.removeAll(from: Queue.small.rawValue) { move(node, to: .main) }
    (smallGhosts, mainGhosts) = (GhostQueue(), GhostQueue())
  }

  private mutating func move(_ node: Int, to queue: Queue) {
    addCost(-nodes[node].cost, to: nodes[node].queue)
    nodes[node].queue = queue
    addCost(nodes[node].cost, to: queue)
    lists.prepend(node, to: queue.rawValue)
  }

  private mutating func addCost(_ cost: Int, to queue: Queue) {
    switch queue {
    case .small: smallCost += cost
    case .main: mainCost += cost
    }
  }
}

/// The digests and costs of recently evicted entries, without their images. The oldest are dropped first.
struct GhostQueue: Sendable {
  private struct Ghost {
    var digest: KeyDigest
    var cost: Int
  }

  private(set) var totalCost = 0
  private var ghosts: [Ghost] = []
  private var indices: [KeyDigest: Int] = [:]
  private var order = LinkedLists(listCount: 1)
  private var freeIndices = FreeList()

  var count: Int { indices.count }

  /// Adds a digest, and drops the oldest ones beyond the limits.
  mutating func insert(_ digest: KeyDigest, cost: Int, costLimit: Int, countLimit: Int) {
    remove(digest)
    let index = freeIndices.allocate()
    let ghost = Ghost(digest: digest, cost: cost)
    if index < ghosts.count { ghosts[index] = ghost } else { ghosts.append(ghost) }
    indices[digest] = index
    order.prepend(index, to: 0)
    totalCost += cost
    while totalCost > costLimit || count > countLimit, let oldest = order.last(of: 0) {
      remove(ghosts[oldest].digest)
    }
  }

  /// Removes a digest.
  ///
  /// - Returns: Whether it was in the queue.
  @discardableResult
  mutating func remove(_ digest: KeyDigest) -> Bool {
    guard let index = indices.removeValue(forKey: digest) else { return false }
    order.remove(index)
    freeIndices.free(index)
    totalCost -= ghosts[index].cost
    return true
  }
}
