import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

@Suite(.unitTest)
struct DigestTableTests {
  @Test func `random operations agree with a dictionary, also when digests collide`() {
    var generator = SplitMix(state: 5)
    var table = DigestTable()
    var model: [KeyDigest: Int] = [:]
    var digests: [KeyDigest] = []
    for step in 0..<50_000 {
      let number = UInt64.random(in: 0..<300, using: &generator)
      let digest = KeyDigest(low: number % 3 == 0 ? number % 12 : number << 40, high: number)
      digests.append(digest)
      if let slot = model[digest], step % 2 == 0 {
        table.remove(digest, slot: slot)
        model[digest] = nil
      } else if model[digest] == nil {
        table.insert(digest, slot: step)
        model[digest] = step
      }
      let other = UInt64.random(in: 0..<300, using: &generator)
      let queried = KeyDigest(low: other % 3 == 0 ? other % 12 : other << 40, high: other)
      let slot = table.slot(of: queried) { digests[$0] == queried }
      guard slot == model[queried], table.count == model.count else {
        Issue.record("step \(step): \(String(describing: slot)) for \(queried)")
        return
      }
    }
    table.remove(KeyDigest(low: 1, high: 0), slot: digests.count)
    #expect(table.count == model.count)
  }
}
