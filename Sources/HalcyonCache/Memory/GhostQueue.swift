import HalcyonSupport

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
