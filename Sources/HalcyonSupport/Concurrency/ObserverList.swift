/// Observers, such as closures or stream continuations, in the order in which they were added.
///
/// Part of a state behind a lock: copy ``all`` under the lock, notify after it is released. Adding is O(1), removing
/// O(n). Specialised in every module that uses it, like ``Lock``: each load adds and removes several observers.
@usableFromInline
package struct ObserverList<Observer: Sendable>: Sendable {
  @usableFromInline var entries: [(id: UInt64, observer: Observer)] = []
  @usableFromInline var lastID: UInt64 = 0

  @inlinable
  package init() {}

  @inlinable
  package var isEmpty: Bool { entries.isEmpty }

  @inlinable
  package var all: [Observer] { entries.map { $0.observer } }

  /// Adds an observer.
  ///
  /// - Returns: The identifier to remove it with.
  @inlinable
  package mutating func add(_ observer: Observer) -> UInt64 {
    lastID += 1
    entries.append((lastID, observer))
    return lastID
  }

  /// Removes an observer and returns it, so that it is released after the lock; `nil` if it is not in the list.
  @inlinable
  package mutating func remove(_ id: UInt64) -> Observer? {
    entries.firstIndex { $0.id == id }.map { entries.remove(at: $0).observer }
  }

  /// Removes and returns all observers.
  @inlinable
  package mutating func removeAll() -> [Observer] {
    defer { entries = [] }
    return all
  }
}
