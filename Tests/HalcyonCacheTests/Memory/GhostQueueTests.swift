import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

@Suite(.unitTest)
struct GhostQueueTests {
  @Test func `ghosts over the cost or count limit are dropped, the oldest first`() {
    var ghosts = GhostQueue()
    let digests = (0..<10).map { KeyDigest(low: $0, high: 0) }
    for digest in digests { ghosts.insert(digest, cost: 10, costLimit: 50, countLimit: 100) }
    #expect(ghosts.totalCost == 50)
    #expect(digests.map { ghosts.remove($0) } == [Bool](repeating: false, count: 5) + [Bool](repeating: true, count: 5))
    #expect(ghosts.totalCost == 0)
    for digest in digests { ghosts.insert(digest, cost: 1, costLimit: 50, countLimit: 2) }
    ghosts.insert(digests[8], cost: 3, costLimit: 50, countLimit: 2)
    #expect(ghosts.count == 2)
    #expect(ghosts.totalCost == 4)
  }

  /// The queue whose ghost a new entry finds, the cost of that entry in a cache of 100, and the largest cost of the small
  /// queue from which nothing is evicted.
  @Test(
    arguments: [(nil, 0, 25), (true, 40, 35), (true, 4000, 70), (false, 40, 15), (false, 4000, 10)]
      as [(Bool?, Int, Int)])
  func `the small queue has a tenth to seven tenths of a cache`(_ isSmall: Bool?, _ cost: Int, _ share: Int) {
    var queues = EvictionQueues(policy: .adaptive)
    let digests = (0..<3).map { KeyDigest(low: $0, high: 0) }
    if let isSmall {
      queues.insert(0, digest: digests[0], cost: 1, entersMainQueue: !isSmall)
      queues.evict(EvictionQueues.Candidate(node: 0, isInSmallQueue: isSmall), capacity: 100)
      let isFound = queues.consumeGhost(digests[0], cost: cost, capacity: 100)
      #expect(isFound)
    }
    queues.insert(0, digest: digests[1], cost: 1, entersMainQueue: true)
    queues.insert(1, digest: digests[2], cost: share, entersMainQueue: false)
    #expect(queues.candidate(capacity: 100)?.isInSmallQueue == false)
    queues.insert(2, digest: digests[0], cost: 1, entersMainQueue: false)
    #expect(queues.candidate(capacity: 100)?.isInSmallQueue == true)
  }
}
