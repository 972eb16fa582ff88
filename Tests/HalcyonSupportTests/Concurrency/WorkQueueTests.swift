import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport

@Suite(.unitTest)
struct WorkQueueTests {
  @Test func `many waiting items are cancelled in reverse order, and the rest keep theirs`() {
    let queue = WorkQueue()
    let cancelled = Counter()
    let started = Lock<[Int]>([])
    let ids = (0..<100_010).map { number in
      let id = queue.newID()
      queue.add(id: id, priority: .normal) { isStarted in
        if isStarted { started.withLock { $0.append(number) } } else { cancelled.increment() }
      }
      return id
    }
    for (number, id) in ids.enumerated().reversed() where number % 10_001 != 0 { queue.remove(id) }
    #expect(cancelled.count == 100_000)
    #expect(queue.slotCount <= 2 * 10 + 64)
    queue.close()
    queue.work()
    #expect(started.withLock { $0 } == (0..<10).map { $0 * 10_001 })
    #expect(cancelled.count == 100_000)
  }

  @Test func `cancelled items do not accumulate behind a waiting one`() {
    let queue = WorkQueue()
    let (cancelled, runs) = (Counter(), Counter())
    queue.add(id: queue.newID(), priority: .veryLow) { _ in runs.increment() }
    for number in 0..<10_000 {
      let id = queue.newID()
      queue.add(id: id, priority: ImagePriority.allCases[number % 5]) { _ in cancelled.increment() }
      queue.remove(id)
      #expect(queue.slotCount <= 2 * 2 + 64)
    }
    #expect(cancelled.count == 10_000)
    #expect(runs.count == 0)
    queue.close()
    queue.work()
    #expect(cancelled.count == 10_000)
    #expect(runs.count == 1)
  }

  @Test func `items run by priority, then in order of arrival, whatever is cancelled among them`() {
    let queue = WorkQueue()
    let started = Lock<[Int]>([])
    let ids = (0..<1000).map { number in
      let id = queue.newID()
      queue.add(id: id, priority: ImagePriority.allCases[number % 5]) { isStarted in
        if isStarted { started.withLock { $0.append(number) } }
      }
      return id
    }
    for id in ids.enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) { queue.remove(id) }
    queue.close()
    queue.work()
    let expected = (0..<5).reversed().flatMap { level in
      (0..<1000).filter { $0 % 5 == level && $0 % 3 != 0 }
    }
    #expect(started.withLock { $0 } == expected)
    #expect(queue.slotCount <= 64)
  }

  @Test func `removing an item that has started or was never added has no effect`() {
    let queue = WorkQueue()
    let calls = Lock<[Bool]>([])
    let id = queue.newID()
    queue.remove(id)
    queue.add(id: id, priority: .normal) { isStarted in
      calls.withLock { $0.append(isStarted) }
      queue.remove(id)
    }
    queue.close()
    queue.work()
    queue.remove(id)
    #expect(calls.withLock { $0 } == [true])
  }

  @Test func `an item whose priority changes runs behind those that have the new one`() {
    let queue = WorkQueue()
    let started = Lock<[Int]>([])
    let ids = (0..<6).map { number in
      let id = queue.newID()
      queue.add(id: id, priority: number < 2 ? .high : .normal) { isStarted in
        if isStarted { started.withLock { $0.append(number) } }
      }
      return id
    }
    queue.setPriority(.high, of: ids[4])
    queue.setPriority(.low, of: ids[0])
    queue.setPriority(.veryHigh, of: ids[5])
    queue.setPriority(.normal, of: ids[5])
    for _ in 0..<1000 { for priority in ImagePriority.allCases { queue.setPriority(priority, of: ids[3]) } }
    #expect(queue.slotCount <= 2 * 6 + 64)
    queue.close()
    queue.work()
    queue.setPriority(.low, of: ids[1])
    #expect(started.withLock { $0 } == [3, 1, 4, 2, 5, 0])
  }

  @Test func `with the newest first, an item whose priority changes counts as new`() {
    let queue = WorkQueue(newestFirst: true)
    let started = Lock<[Int]>([])
    let ids = (0..<6).map { number in
      let id = queue.newID()
      queue.add(id: id, priority: number == 3 ? .high : .normal) { isStarted in
        if isStarted { started.withLock { $0.append(number) } }
      }
      return id
    }
    for _ in 0..<1000 { for priority in [ImagePriority.low, .normal] { queue.setPriority(priority, of: ids[1]) } }
    queue.remove(ids[4])
    #expect(queue.slotCount <= 2 * 5 + 64)
    queue.close()
    queue.work()
    #expect(started.withLock { $0 } == [3, 1, 5, 2, 0])
    #expect(queue.slotCount <= 64)
  }
}
