/// Doubly linked lists of small integers, each a member of at most one list. Every operation on one member is O(1).
struct LinkedLists: Sendable {
  private let listCount: Int
  // The first `listCount` positions are the sentinels of the circular lists; member `n` is at position `listCount + n`.
  // A member that is on no list is linked to itself.
  private var next: [Int32]
  private var previous: [Int32]

  init(listCount: Int) {
    self.listCount = listCount
    next = (0..<Int32(listCount)).map { $0 }
    previous = next
  }

  /// The member at the end of a list: the least recently prepended one.
  func last(of list: Int) -> Int? {
    let position = Int(previous[list])
    return position == list ? nil : position - listCount
  }

  /// Moves a member to the front of a list, from any list that it is on.
  mutating func prepend(_ member: Int, to list: Int) {
    let position = member + listCount
    while next.count <= position {
      next.append(Int32(next.count))
      previous.append(Int32(previous.count))
    }
    remove(member)
    let first = next[list]
    next[position] = first
    previous[position] = Int32(list)
    previous[Int(first)] = Int32(position)
    next[list] = Int32(position)
  }

  /// Removes a member from its list, if it is on one.
  mutating func remove(_ member: Int) {
    let position = member + listCount
    guard position < next.count else { return }
    let (before, after) = (previous[position], next[position])
    next[Int(before)] = after
    previous[Int(after)] = before
    next[position] = Int32(position)
    previous[position] = Int32(position)
  }

  /// Removes all members from a list, the last first.
  mutating func removeAll(from list: Int) -> [Int] {
    var members: [Int] = []
    while let member = last(of: list) {
      members.append(member)
      remove(member)
    }
    return members
  }
}

/// Allocates small integers, and reuses freed ones.
struct FreeList: Sendable {
  private var freed: [Int] = []
  private var allocatedCount = 0

  mutating func allocate() -> Int {
    if let index = freed.popLast() { return index }
    defer { allocatedCount += 1 }
    return allocatedCount
  }

  mutating func free(_ index: Int) {
    freed.append(index)
  }
}
