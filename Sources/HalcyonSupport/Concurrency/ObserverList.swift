/// Observers, such as closures or stream continuations, in the order in which they were added.
///
/// Part of a state behind a lock: copy ``all`` under the lock, notify after it is released. Adding is O(1), removing
/// O(n).
package struct ObserverList<Observer: Sendable>: Sendable {
  private var entries: [(id: UInt64, observer: Observer)] = []
  private var lastID: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  package var all: [Observer] { entries.map(\.observer) }

  /// Adds an observer.
  ///
  /// - Returns: The identifier to remove it with.
  package mutating func add(_ observer: Observer) -> UInt64 {
    lastID += 1
    entries.append((lastID, observer))
    return lastID
  }

  /// Removes an observer and returns it, so that it is released after the lock; `nil` if it is not in the list.
  package mutating func remove(_ id: UInt64) -> Observer? {
    entries.firstIndex { $0.id == id }.map { entries.remove(at: $0).observer }
  }

  /// Removes and returns all observers.
  package mutating func removeAll() -> [Observer] {
    defer { entries = [] }
    return all
  }
}
