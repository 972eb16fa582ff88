import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ProgressBroadcasterTests {
  private let broadcaster = ProgressBroadcaster<Int, String>(0)

  @Test func `a stream begins with the progress so far, and has the newest change`() async {
    var first = broadcaster.stream().makeAsyncIterator()
    #expect(await first.next() == 0)
    for number in 1...3 { broadcaster.update { $0 = number } }
    var second = broadcaster.stream().makeAsyncIterator()
    #expect(await first.next() == 3)
    #expect(await second.next() == 3)
    broadcaster.update { $0 += 1 }
    #expect(await first.next() == 4)
    #expect(await second.next() == 4)
  }

  @Test func `the first outcome ends all streams, and is that of all callers`() async {
    var stream = broadcaster.stream().makeAsyncIterator()
    async let waiting = broadcaster.outcome
    #expect(await stream.next() == 0)
    broadcaster.update { $0 = 7 }
    #expect(await stream.next() == 7)
    broadcaster.finish("a")
    broadcaster.finish("b")
    broadcaster.update { $0 = 8 }
    #expect(await stream.next() == nil)
    #expect(await waiting == "a")
    #expect(await broadcaster.outcome == "a")
  }

  @Test func `a stream that begins after the end has the last progress only`() async {
    broadcaster.update { $0 = 7 }
    broadcaster.finish("a")
    var late = broadcaster.stream().makeAsyncIterator()
    #expect(await late.next() == 7)
    #expect(await late.next() == nil)
  }

  @Test func `observers are listed in the order in which they were added, until they are removed`() {
    var observers = ObserverList<String>()
    #expect(observers.isEmpty)
    let ids = ["a", "b", "c"].map { observers.add($0) }
    #expect(Set(ids).count == 3)
    #expect(observers.remove(ids[1]) == "b")
    #expect(observers.remove(ids[1]) == nil)
    #expect(observers.all == ["a", "c"])
    #expect(observers.add("d") > ids[2])
    #expect(observers.removeAll() == ["a", "c", "d"])
    #expect(observers.isEmpty)
  }
}
