/// Doubly linked lists of small integers, each on one list at most. Every operation takes constant time.
struct LinkedLists: Sendable {
  private let listCount: Int
  // The first `listCount` places are the lists themselves, closing their circles; a place linked to itself is on none.
  private var next: [Int32]
  private var previous: [Int32]
  private var memberCount = 0

  init(listCount: Int) {
    self.listCount = listCount
    next = (0..<Int32(listCount)).map { $0 }
    previous = next
  }

  /// Whether no list has a member.
  var isEmpty: Bool { memberCount == 0 }

  /// The member that has been on the list for the longest time.
  func last(of list: Int) -> Int? {
    let place = Int(previous[list])
    return place == list ? nil : place - listCount
  }

  /// Moves a member to the front of a list, off the one it may be on.
  mutating func prepend(_ member: Int, to list: Int) {
    let place = member + listCount
    while next.count <= place {
      next.append(Int32(next.count))
      previous.append(Int32(previous.count))
    }
    remove(member)
    let first = next[list]
    next[place] = first
    previous[place] = Int32(list)
    previous[Int(first)] = Int32(place)
    next[list] = Int32(place)
    memberCount += 1
  }

  /// Takes a member off its list, if it is on one.
  mutating func remove(_ member: Int) {
    let place = member + listCount
    guard place < next.count else { return }
    let (before, after) = (previous[place], next[place])
    if Int(after) != place { memberCount -= 1 }
    next[Int(before)] = after
    previous[Int(after)] = before
    next[place] = Int32(place)
    previous[place] = Int32(place)
  }

  /// Takes all members off a list, the longest there first.
  mutating func removeAll(from list: Int) -> [Int] {
    var members: [Int] = []
    while let member = last(of: list) {
      members.append(member)
      remove(member)
    }
    return members
  }
}

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
