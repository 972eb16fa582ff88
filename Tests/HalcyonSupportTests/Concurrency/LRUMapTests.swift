import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct LRUMapTests {
  @Test func `values leave in the order of their last use, with their costs`() {
    var map = LRUMap<String, Int>()
    #expect(map.removeFirst() == nil)
    for (number, key) in ["a", "b", "c", "d"].enumerated() { #expect(map.insert(number, for: key, cost: 10) == nil) }
    #expect(map.cost == 40)
    #expect(map.use("a") == 0)
    #expect(map.use("x") == nil)
    // Reading or changing a value is no use of it.
    #expect(map["b"] == 1)
    map["b"] = 7
    map["x"] = 7
    #expect(map["x"] == nil)
    #expect(map.insert(9, for: "c", cost: 3) == 2)
    #expect(map.cost == 33)
    #expect(Set(map.keys) == ["a", "b", "c", "d"])
    #expect((0..<5).map { _ in map.removeFirst() } == [7, 3, 0, 9, nil])
    #expect(map.cost == 0)
    #expect(map.keys.isEmpty)
  }

  @Test(arguments: [0, 1, 2]) func `a value is removed from the front, the middle and the end`(index: Int) {
    var map = LRUMap<Int, Int>()
    for _ in 0..<3 {
      for number in 0..<3 { _ = map.insert(number, for: number, cost: number) }
      #expect(map.remove(index) == index)
      #expect(map.remove(index) == nil)
      #expect(map.cost == 3 - index)
      _ = map.insert(5, for: 5, cost: 5)
      let rest: [Int?] = [0, 1, 2].filter { $0 != index } + [5]
      #expect((0..<3).map { _ in map.removeFirst() } == rest)
      #expect(map.removeFirst() == nil)
    }
  }
}
