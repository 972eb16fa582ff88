import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCache

@Suite(.unitTest)
struct RemovalHistoryTests {
  private func key(_ name: String, size: Int = 0) -> CacheKey {
    let url = "https://example.com/\(name)"
    return CacheKey("|url=\(url.utf8.count):\(url)" + (size > 0 ? "|size=\(size)" : ""))
  }

  @Test func `a removal concerns a key, all keys of a source, or all`() {
    let history = RemovalHistory()
    let keys = [key("a"), key("a", size: 1), key("b")]
    func last() -> [UInt64] { keys.map { history.last(of: $0) } }
    #expect(last() == [0, 0, 0])
    history.record(keys[1])
    #expect(last() == [0, 1, 0])
    history.record(source: "https://example.com/a")
    #expect(last() == [2, 2, 0])
    history.record(keys[1])
    #expect(last() == [2, 3, 0])
    history.record(keys[2])
    #expect(last() == [2, 3, 4])
    history.recordAll()
    #expect(last() == [5, 5, 5])
    history.record(keys[0])
    #expect(last() == [6, 5, 5])
  }

  @Test func `a removal that takes a while is recorded before and after it, also if it fails`() async {
    let history = RemovalHistory()
    await #expect(throws: CancellationError.self) {
      try await history.recordAll {
        #expect(history.last(of: "a") == 1)
        history.record("a")
        throw CancellationError()
      }
    }
    #expect(history.last(of: "a") == 3)
    #expect(history.last(of: "b") == 3)
  }

  @Test func `after 4096 removals all keys count as removed`() {
    let history = RemovalHistory()
    for number in 0..<2048 {
      history.record(key("\(number)"))
      history.record(source: "https://example.com/other\(number)")
    }
    #expect(history.last(of: key("x")) == 0)
    #expect(history.last(of: key("0")) == 1)
    history.record(key("0"))
    #expect(history.last(of: key("x")) == 0, "a key that is known takes no more memory")
    history.record(key("more"))
    #expect(history.last(of: key("x")) == 4098)
    #expect(history.last(of: key("0")) == 4098)
  }
}
