import Testing

@testable import HalcyonCore

struct LRUMapTests {
  @Test func `the least recently used goes first`() {
    var map = LRUMap<Int, String>()
    for key in 1...3 { map.insert("\(key)", for: key, cost: 10) }
    #expect(map.value(for: 1) == "1")
    #expect(map.trim(costLimit: 20, countLimit: .max) == ["2"])
    #expect(map.peek(3) == "3")
    #expect(map.trim(costLimit: .max, countLimit: 1) == ["3"])
    #expect(map.totalCost == 10)
  }

  @Test func `random operations agree with a plain list`() {
    var generator = SystemRandomNumberGenerator()
    var map = LRUMap<Int, Int>()
    var model: [(key: Int, value: Int)] = []
    for step in 0..<20_000 {
      let key = Int.random(in: 0..<50, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        map.remove(key)
        model.removeAll { $0.key == key }
        map.insert(step, for: key, cost: key)
        model.append((key, step))
      case 1:
        let expected = model.firstIndex { $0.key == key }.map { model.remove(at: $0) }
        if let expected { model.append(expected) }
        #expect(map.value(for: key) == expected?.value)
      case 2:
        #expect(map.remove(key) == model.first { $0.key == key }?.value)
        model.removeAll { $0.key == key }
      default:
        let limit = Int.random(in: 0..<30, using: &generator)
        let removed = map.trim(costLimit: .max, countLimit: limit)
        #expect(removed == model.prefix(max(0, model.count - limit)).map(\.value))
        model = model.suffix(limit)
      }
      #expect(map.count == model.count)
      #expect(map.totalCost == model.map(\.key).reduce(0, +))
    }
  }
}
