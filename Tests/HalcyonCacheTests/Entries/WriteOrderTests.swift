import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCache

/// The order of background writes.
@Suite(.unitTest)
struct WriteOrderTests {
  @Test(arguments: UInt64(1)...20)
  func `the oldest write and the bytes are those of a plain list, whatever ends in between`(seed: UInt64) {
    var random = SplitMix(state: seed)
    var writes = WriteOrder<UInt64>()
    var model: [(id: UInt64, byteCount: Int)] = []
    for _ in 0..<5000 {
      if model.isEmpty || Int.random(in: 0..<100, using: &random) < 51 {
        let byteCount = Bool.random(using: &random) ? Int.random(in: 1...1000, using: &random) : 0
        let id = writes.add(byteCount: byteCount) { $0 }
        model.append((id, byteCount))
      } else {
        let index = Int.random(in: model.indices, using: &random)
        writes.remove(model.remove(at: index).id)
      }
      #expect(writes.oldest == model.first { $0.byteCount > 0 }?.id)
      #expect(writes.byteCount == model.reduce(0) { $0 + $1.byteCount })
      #expect(writes.slotCount <= 2 * model.count + 64)
    }
    #expect(Set(writes.all) == Set(model.map(\.id)))
    #expect(Set(writes.allWithBytes) == Set(model.filter { $0.byteCount > 0 }.map(\.id)))
  }

  @Test func `ended writes do not accumulate behind one that does not end`() {
    var writes = WriteOrder<UInt64>()
    let first = writes.add(byteCount: 1) { $0 }
    for _ in 0..<100_000 {
      writes.remove(writes.add(byteCount: 1) { $0 })
      #expect(writes.slotCount <= 66)
    }
    #expect(writes.oldest == first)
    writes.remove(first)
    #expect(writes.oldest == nil)
    #expect(writes.byteCount == 0)
  }

  @Test func `a write waits for the oldest one while too many bytes wait`() async {
    let writes = BackgroundWrites(byteLimit: 10)
    let (first, second) = (Signal(), Signal())
    let log = Lock<[String]>([])
    await writes.start(byteCount: 6) { await first.wait() }
    await writes.start(byteCount: 6) { await second.wait() }
    writes.track { await second.wait() }
    async let third: Void = {
      await writes.start(byteCount: 6) { log.withLock { $0.append("third") } }
      log.withLock { $0.append("started") }
    }()
    await first.waitForWaiter()
    #expect(log.withLock { $0 }.isEmpty)
    first.set()
    await third
    await second.waitForWaiter()
    second.set()
    await writes.flush()
    #expect(Set(log.withLock { $0 }) == ["third", "started"])
  }
}
