/// A binary heap with its largest element first.
///
/// Inserting and removing take O(log n) comparisons. Elements that no longer count stay until they come first.
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  init() {}

  init(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  var count: Int { elements.count }
  var first: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[(index - 1) / 2] < elements[index] {
      elements.swapAt((index - 1) / 2, index)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    var index = 0
    while let child = largerChild(of: index), elements[index] < elements[child] {
      elements.swapAt(index, child)
      index = child
    }
  }

  private func largerChild(of index: Int) -> Int? {
    let (left, right) = (2 * index + 1, 2 * index + 2)
    guard left < elements.count else { return nil }
    return right < elements.count && elements[left] < elements[right] ? right : left
  }
}

extension Heap: Sendable where Element: Sendable {}
