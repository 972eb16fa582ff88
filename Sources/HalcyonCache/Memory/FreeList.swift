/// Small integers to number things with; given back, they are used again.
struct FreeList: Sendable {
  private var vacant: [Int] = []
  private var used = 0

  mutating func take() -> Int {
    if let index = vacant.popLast() { return index }
    defer { used += 1 }
    return used
  }

  mutating func giveBack(_ index: Int) {
    vacant.append(index)
  }
}
