@_spi(Programs) import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct RecentTableTests {
  @Test func `the least recently used values go first`() {
    let table = RecentTable<String, Int>(costLimit: 3)
    for (number, key) in ["a", "b", "c"].enumerated() { table.insert(number, for: key) }
    #expect(table["a"] == 0)
    table.insert(3, for: "d")
    #expect(["a", "b", "c", "d"].map { table[$0] } == [0, nil, 2, 3])
    table.insert(4, for: "e")
    #expect(["a", "c", "d", "e"].map { table[$0] } == [nil, 2, 3, 4])
  }

  @Test func `values are bounded by their cost, and one over it is not kept`() {
    let table = RecentTable<Int, String>(costLimit: 10)
    table.insert("a", for: 1, cost: 6)
    table.insert("b", for: 2, cost: 4)
    #expect(table.insert("c", for: 3, cost: 11) == "c")
    #expect(table[1] == "a" && table[2] == "b" && table[3] == nil)
    table.insert("d", for: 4, cost: 5)
    #expect(table[1] == nil && table[2] == "b" && table[4] == "d", "the oldest was enough")
    table.insert("e", for: 2, cost: 1)
    table.insert("f", for: 5, cost: 4)
    #expect(table[2] == "e" && table[4] == "d" && table[5] == "f", "the replaced value costs nothing more")
    table.insert("g", for: 2, cost: 11)
    #expect(table[2] == nil, "the value before is gone as well")
  }

  @Test func `a value is replaced, unless that is not wanted`() {
    let table = RecentTable<Int, String>(costLimit: 10)
    table.insert("a", for: 1)
    #expect(table.insert("b", for: 1, replaces: false) == "a")
    #expect(table.insert("c", for: 1) == "c" && table[1] == "c")
  }

  @Test func `removed values are gone, and their places are used again`() {
    let table = RecentTable<Int, Int>(costLimit: 4)
    for key in 1...4 { table.insert(key, for: key) }
    table.remove(4)
    table.remove(9)
    table.removeAll { $0 % 2 == 1 }
    #expect((1...4).map { table[$0] } == [nil, 2, nil, nil])
    for key in 5...8 { table.insert(key, for: key) }
    #expect((1...8).map { table[$0] } == [nil, nil, nil, nil, 5, 6, 7, 8])
    table.removeAll()
    #expect((1...8).allSatisfy { table[$0] == nil })
    table.insert(1, for: 1)
    #expect(table[1] == 1)
  }

  @Test func `a table of one holds the last`() {
    let table = RecentTable<Int, Int>(costLimit: 1)
    for key in 1...3 { table.insert(key, for: key) }
    #expect((1...3).map { table[$0] } == [nil, nil, 3])
    #expect(RecentTable<Int, Int>(costLimit: 0).insert(1, for: 1) == 1)
  }

  @Test func `values are freed without the lock`() {
    final class Reader: Sendable {
      let table: RecentTable<Int, Reader>
      init(_ table: RecentTable<Int, Reader>) { self.table = table }
      deinit { table.remove(0) }
    }
    let table = RecentTable<Int, Reader>(costLimit: 1)
    for key in 1...3 { table.insert(Reader(table), for: key) }
    table.insert(Reader(table), for: 3)
    table.remove(3)
    table.insert(Reader(table), for: 4)
    table.removeAll { _ in true }
    table.insert(Reader(table), for: 5)
    table.removeAll()
  }
}
