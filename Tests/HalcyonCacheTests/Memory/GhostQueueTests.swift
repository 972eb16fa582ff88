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
}
