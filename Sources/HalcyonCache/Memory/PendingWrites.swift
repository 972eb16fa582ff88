import HalcyonSupport

/// Which keys are worked on, so that the outcome of work that overlapped with other work on its key is not kept: nobody
/// could say which of them came last.
struct PendingWrites: Sendable {
  private struct Work: Sendable {
    var count = 1
    var isAlone: Bool
  }

  private var works: [CacheKey: Work] = [:]
  /// Work on all keys at once.
  private var wholeCount = 0

  mutating func begin(_ key: CacheKey) {
    guard let work = works[key] else {
      works[key] = Work(isAlone: wholeCount == 0)
      return
    }
    works[key] = Work(count: work.count + 1, isAlone: false)
  }

  /// Ends what was begun; returns whether nothing else was done with the key meanwhile.
  mutating func end(_ key: CacheKey) -> Bool {
    guard let work = works[key] else { return false }
    works[key] = work.count == 1 ? nil : Work(count: work.count - 1, isAlone: false)
    return work.isAlone
  }

  mutating func beginWhole() {
    wholeCount += 1
    for key in works.keys { works[key]?.isAlone = false }
  }

  mutating func endWhole() { wholeCount -= 1 }
}
