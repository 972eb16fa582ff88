import HalcyonSupport

/// The order in which entries leave a memory cache: numbers and costs only, no values.
///
/// The adaptive policy keeps newcomers in a first-in-first-out queue, on probation, and what was read there once more in
/// the main queue. Keys evicted from either are remembered as ghosts: a newcomer found among them tells which queue was
/// too small, and moves the share of the limit that probation may take.
struct EvictionQueues: Sendable {
  /// The entry that the policy looks at next.
  struct Candidate {
    var node: Int
    var isOnProbation: Bool
  }

  private enum Queue: Int {
    case probation, main
  }

  private struct Node {
    var digest: KeyDigest
    var cost: Int
    var queue: Queue
  }

  var policy: EvictionPolicy {
    didSet { if policy == .leastRecentlyUsed { mergeProbation() } }
  }
  private(set) var probationCost = 0
  private(set) var mainCost = 0
  private(set) var count = 0
  private(set) var probationShare = 0.25
  private var lists = LinkedLists(listCount: 2)
  private var nodes: [Node] = []
  private var probationGhosts = GhostQueue()
  private var mainGhosts = GhostQueue()

  init(policy: EvictionPolicy) {
    self.policy = policy
  }

  /// Bytes of all entries.
  var totalCost: Int { probationCost + mainCost }

  /// Learns from the ghosts whether a newcomer has been here before; asked before room is made for it.
  ///
  /// - Returns: Whether it skips probation.
  mutating func recall(_ digest: KeyDigest, cost: Int, capacity: Int) -> Bool {
    guard policy == .adaptive else { return true }
    let step = Double(cost) / 4 / Double(max(capacity, 1))
    let (early, late) = (Double(max(probationGhosts.totalCost, 1)), Double(max(mainGhosts.totalCost, 1)))
    if probationGhosts.remove(digest) {
      probationShare = min(0.7, probationShare + max(1, late / early) * step)
      return true
    }
    if mainGhosts.remove(digest) {
      probationShare = max(0.1, probationShare - max(1, early / late) * step)
      return true
    }
    return false
  }

  /// Adds an entry as the newest of its queue.
  mutating func insert(_ node: Int, digest: KeyDigest, cost: Int, skipsProbation: Bool) {
    let queue: Queue = skipsProbation || policy == .leastRecentlyUsed ? .main : .probation
    let entry = Node(digest: digest, cost: cost, queue: queue)
    if node < nodes.count { nodes[node] = entry } else { nodes.append(entry) }
    lists.prepend(node, to: queue.rawValue)
    addCost(cost, to: queue)
    count += 1
  }

  /// Takes note of a read; only the order of the last use needs it.
  mutating func touch(_ node: Int) {
    guard policy == .leastRecentlyUsed else { return }
    lists.prepend(node, to: nodes[node].queue.rawValue)
  }

  /// The entry to evict next, unless it was read since it was last looked at.
  func candidate(capacity: Int) -> Candidate? {
    let isProbationFull = Double(probationCost) > probationShare * Double(capacity)
    let main = lists.last(of: Queue.main.rawValue).map { Candidate(node: $0, isOnProbation: false) }
    if let main, !isProbationFull { return main }
    return lists.last(of: Queue.probation.rawValue).map { Candidate(node: $0, isOnProbation: true) } ?? main
  }

  /// Spares a candidate that was read: it becomes the newest of the main queue.
  mutating func spare(_ candidate: Candidate) {
    move(candidate.node, to: .main)
  }

  /// Removes a candidate and remembers its key.
  mutating func evict(_ candidate: Candidate, capacity: Int) {
    let node = nodes[candidate.node]
    remove(candidate.node)
    guard policy == .adaptive else { return }
    let (costLimit, countLimit) = (capacity / 2, 2 * max(count, 1))
    switch node.queue {
    case .probation:
      probationGhosts.insert(node.digest, cost: node.cost, costLimit: costLimit, countLimit: countLimit)
    case .main:
      mainGhosts.insert(node.digest, cost: node.cost, costLimit: costLimit, countLimit: countLimit)
    }
  }

  /// Removes an entry and forgets it.
  mutating func remove(_ node: Int) {
    lists.remove(node)
    addCost(-nodes[node].cost, to: nodes[node].queue)
    count -= 1
  }

  func digest(of node: Int) -> KeyDigest { nodes[node].digest }

  /// Whether an entry waits on probation.
  func isOnProbation(_ node: Int) -> Bool { nodes[node].queue == .probation }

  private mutating func mergeProbation() {
    for node in lists.removeAll(from: Queue.probation.rawValue) { move(node, to: .main) }
    (probationGhosts, mainGhosts) = (GhostQueue(), GhostQueue())
  }

  private mutating func move(_ node: Int, to queue: Queue) {
    addCost(-nodes[node].cost, to: nodes[node].queue)
    nodes[node].queue = queue
    addCost(nodes[node].cost, to: queue)
    lists.prepend(node, to: queue.rawValue)
  }

  private mutating func addCost(_ cost: Int, to queue: Queue) {
    switch queue {
    case .probation: probationCost += cost
    case .main: mainCost += cost
    }
  }
}

/// The keys of what was evicted of late, the oldest forgotten first. It holds digests and costs, no values.
struct GhostQueue: Sendable {
  private struct Ghost {
    var digest: KeyDigest
    var cost: Int
  }

  private(set) var totalCost = 0
  private var ghosts: [Ghost] = []
  private var places: [KeyDigest: Int] = [:]
  private var order = LinkedLists(listCount: 1)
  private var pool = FreeList()

  var count: Int { places.count }

  /// Remembers a key, and forgets the oldest ones beyond the limits.
  mutating func insert(_ digest: KeyDigest, cost: Int, costLimit: Int, countLimit: Int) {
    remove(digest)
    let place = pool.take()
    let ghost = Ghost(digest: digest, cost: cost)
    if place < ghosts.count { ghosts[place] = ghost } else { ghosts.append(ghost) }
    places[digest] = place
    order.prepend(place, to: 0)
    totalCost += cost
    while totalCost > costLimit || count > countLimit, let oldest = order.last(of: 0) {
      remove(ghosts[oldest].digest)
    }
  }

  /// Forgets a key.
  ///
  /// - Returns: Whether it was remembered.
  @discardableResult
  mutating func remove(_ digest: KeyDigest) -> Bool {
    guard let place = places.removeValue(forKey: digest) else { return false }
    order.remove(place)
    pool.giveBack(place)
    totalCost -= ghosts[place].cost
    return true
  }
}
