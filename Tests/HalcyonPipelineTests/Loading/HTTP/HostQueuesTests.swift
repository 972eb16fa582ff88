import Foundation
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonHTTP
@testable import HalcyonPipeline

/// The allowance of a host that refuses requests.
@Suite(.unitTest)
struct HostQueuesTests {
  private var queues = HostQueues(limits: ConnectionLimits(total: 24, perHost: 6, waiting: 100))

  private func origin(_ host: String = "a", path: String = "") throws -> HTTPURL {
    try #require(URL(string: "http://\(host).example/\(path)").flatMap(HTTPURL.init))
  }

  /// Starts as many transfers as are allowed now.
  private mutating func start() -> [HostQueues.Transfer] {
    var started: [HostQueues.Transfer] = []
    while let (_, transfer) = queues.dequeue() { started.append(transfer) }
    return started
  }

  @Test mutating func `after a pause one request probes, and each one served lets one more go out`() throws {
    let origin = try origin()
    for id in 1...40 { queues.enqueue(UInt64(id), for: origin, .normal) }
    var active = start()
    #expect(active.count == 6)
    queues.end(active.removeLast(), status: 429)
    var more = start()
    #expect(more.isEmpty, "few more are sent after a refusal")
    queues.pause(origin, status: 429, until: .seconds(10))
    // Those in flight do not end the pause.
    for transfer in active { queues.end(transfer, status: 200) }
    queues.endPauses(at: .seconds(9))
    more = start()
    #expect(more.isEmpty)
    expectPauseEnd(.seconds(10))
    queues.endPauses(at: .seconds(10))
    expectPauseEnd(nil)
    var counts: [Int] = []
    for _ in 1...4 {
      let round = start()
      counts.append(round.count)
      for transfer in round { queues.end(transfer, status: 200) }
    }
    #expect(counts == [1, 2, 4, 6])
  }

  @Test mutating func `a refusal without a pause lets one request out at a time`() throws {
    let origin = try origin()
    for id in 1...10 { queues.enqueue(UInt64(id), for: origin, .normal) }
    for transfer in start() { queues.end(transfer, status: 503) }
    for _ in 1...3 {
      let round = start()
      #expect(round.count == 1)
      for transfer in round { queues.end(transfer, status: 503) }
    }
  }

  @Test mutating func `responses to requests sent before a refusal do not raise the allowance`() throws {
    let origin = try origin()
    for id in 1...40 { queues.enqueue(UInt64(id), for: origin, .normal) }
    var active = start()
    queues.end(active.removeLast(), status: 429)
    for transfer in active { queues.end(transfer, status: 200) }
    let next = start()
    #expect(next.count == 1)
  }

  @Test mutating func `a paused host does not block others, and starts none at once`() throws {
    queues.pause(try origin("paused"), status: 429, until: .seconds(10))
    let atOnce = queues.enterAtOnce(try origin("paused"), .veryHigh)
    #expect(atOnce == nil)
    queues.enqueue(1, for: try origin("paused"), .veryHigh)
    queues.enqueue(2, for: try origin("other"), .low)
    let started = start()
    #expect(started.count == 1)
    #expect(queues.waitingCount == 1)
  }

  @Test mutating func `the longest of several pauses counts`() throws {
    queues.pause(try origin(), status: 429, until: .seconds(10))
    queues.pause(try origin(), status: 429, until: .seconds(5))
    queues.enqueue(1, for: try origin(), .normal)
    expectPauseEnd(.seconds(10))
    // A longer one of a URL keeps only that URL.
    queues.pause(try origin(path: "1"), status: 503, until: .seconds(20))
    expectPauseEnd(.seconds(10))
  }

  @Test mutating func `of hosts without loads a limited number is known, those whose pauses end last`() throws {
    queues.pause(try origin("kept"), status: 429, until: .seconds(1))
    queues.enqueue(1, for: try origin("kept"), .normal)
    for number in 2...201 { queues.pause(try origin("\(number)"), status: 429, until: .seconds(number)) }
    expectPauseEnd(.seconds(1))
    // No transfer enters at once while a request waits.
    queues.remove(1)
    var paused: [Int] = []
    for number in 2...201 {
      if let transfer = queues.enterAtOnce(try origin("\(number)"), .normal) {
        queues.end(transfer, status: nil)
      } else {
        paused.append(number)
      }
    }
    #expect(paused == Array(102...201))
  }

  @Test mutating func `the newest waiter of all hosts starts first, and a new priority makes a waiter new`() throws {
    queues = HostQueues(limits: ConnectionLimits(total: 1, perHost: 1), newestFirst: true)
    for id in 1...6 {
      queues.enqueue(UInt64(id), for: try origin(id.isMultiple(of: 2) ? "a" : "b"), id == 5 ? .low : .normal)
    }
    // The request becomes the newest of its queue, although it was in this queue before.
    queues.updatePriority(of: 2, to: .veryLow)
    queues.updatePriority(of: 2, to: .normal)
    queues.remove(4)
    let rejected = queues.waiterToReject()
    #expect(rejected == 5)
    var order: [UInt64] = []
    while let (id, transfer) = queues.dequeue() {
      order.append(id)
      queues.end(transfer, status: 200)
      if id == 6 { queues.enqueue(7, for: try origin("b"), .normal) }
    }
    #expect(order == [2, 6, 7, 3, 1, 5])
  }

  @Test(arguments: [false, true])
  mutating func `the waiter that would start last is the first to be rejected`(newestFirst: Bool) throws {
    queues = HostQueues(limits: ConnectionLimits(), newestFirst: newestFirst)
    for id in 1...3 { queues.enqueue(UInt64(id), for: try origin(), .normal) }
    let rejected = queues.waiterToReject()
    #expect(rejected == (newestFirst ? 1 : 3))
  }

  @Test mutating func `a waiter that is raised starts before those of its new priority that came later`() throws {
    for id in 2...5 { queues.enqueue(UInt64(id), for: try origin(), id == 3 ? .low : .normal) }
    queues.updatePriority(of: 3, to: .normal)
    var order: [UInt64] = []
    while let (id, _) = queues.dequeue() { order.append(id) }
    #expect(order == [2, 3, 4, 5])
  }

  private mutating func expectPauseEnd(_ expected: Duration?, at location: SourceLocation = #_sourceLocation) {
    let end = queues.nextPauseEnd()
    #expect(end == expected, sourceLocation: location)
  }

  /// Enqueues requests for paths in order.
  private mutating func enqueue(_ paths: some Sequence<Int>, _ priority: ImagePriority = .normal) throws {
    for path in paths { queues.enqueue(UInt64(path), for: try origin(path: "\(path)"), priority) }
  }

  /// Starts what is allowed now, and ends each with 503 and a pause, or with 200 where the path is good.
  ///
  /// - Returns: The paths.
  private mutating func round(good: ClosedRange<Int>, pausedUntil end: Duration) -> [Int] {
    var started: [(id: UInt64, transfer: HostQueues.Transfer)] = []
    while let next = queues.dequeue() { started.append(next) }
    for (id, transfer) in started {
      let isGood = good.contains(Int(id))
      queues.end(transfer, status: isGood ? 200 : 503, pausedUntil: isGood ? nil : end)
    }
    return started.map { Int($0.id) }
  }

  @Test mutating func `two URLs that are refused pause themselves, and not their host`() throws {
    try enqueue(1...20)
    let first = round(good: 3...20, pausedUntil: .seconds(10))
    #expect(first == [1, 2, 3, 4, 5, 6])
    try enqueue(1...2, .veryHigh)
    let second = round(good: 3...20, pausedUntil: .seconds(10))
    #expect(second == Array(7...12))
    let atOnce = queues.enterAtOnce(try origin(path: "1"), .veryHigh)
    let pauseEnd = queues.nextPauseEnd()
    #expect(atOnce == nil && pauseEnd == .seconds(10))
    queues.endPauses(at: .seconds(10))
    let third = round(good: 1...20, pausedUntil: .seconds(20))
    #expect(third.prefix(2) == [1, 2])
  }

  @Test mutating func `a host pauses when three of its URLs in a row are refused, and probes with others`() throws {
    try enqueue(1...30)
    let first = round(good: 100...100, pausedUntil: .seconds(2))
    #expect(first == Array(1...6))
    try enqueue(1...6)
    let paused = round(good: 30...30, pausedUntil: .seconds(2))
    #expect(paused == [])
    queues.endPauses(at: .seconds(2))
    let probe = round(good: 30...30, pausedUntil: .seconds(4))
    #expect(probe == [30], "one probe, of the other end")
    // Served: the host goes on, more of it with each response, and those refused before wait for their turn.
    let next = round(good: 7...30, pausedUntil: .seconds(4))
    #expect(next.count == 2)
  }

  @Test(arguments: [7, 13, 18, 29, 30]) mutating func `one good image among 29 broken ones is found in a few pauses`(
    good: Int
  ) throws {
    try enqueue(1...30)
    var (pauses, sizes) = (0, [Int]())
    while true {
      let end = Duration.seconds(2 * (pauses + 1))
      let paths = round(good: good...good, pausedUntil: end)
      sizes.append(paths.count)
      if paths.contains(good) { break }
      try enqueue(paths)
      pauses += 1
      queues.endPauses(at: end)
    }
    #expect(pauses <= 6, "\(sizes)")
    #expect(sizes.dropFirst().first == 1)
  }

  @Test mutating func `a URL that no load waits for no longer counts`() throws {
    try enqueue(1...20)
    _ = round(good: 100...100, pausedUntil: .seconds(10))
    try enqueue(1...6)
    let paused = round(good: 1...20, pausedUntil: .zero)
    #expect(paused == [])
    for id in 1...4 { queues.remove(UInt64(id)) }
    let others = round(good: 1...20, pausedUntil: .zero)
    #expect(others == Array(7...12), "two are no longer several")
    expectPauseEnd(.seconds(10))
    for id in 5...6 { queues.remove(UInt64(id)) }
    expectPauseEnd(nil)
  }

  @Test mutating func `a refused URL whose next request gets no response no longer counts`() throws {
    try enqueue([1, 9])
    // The second transfer goes on, so that the host stays known.
    let first = start()
    queues.end(try #require(first.first), status: 503, pausedUntil: .seconds(10))
    try enqueue([1])
    queues.endPauses(at: .seconds(10))
    let second = start()
    queues.end(try #require(second.first), status: nil)
    try enqueue([2, 3])
    let others = round(good: 100...100, pausedUntil: .seconds(20))
    #expect(others == [2, 3])
    try enqueue([4])
    let last = round(good: 4...4, pausedUntil: .zero)
    #expect(last == [4], "two refused URLs do not pause their host")
  }

  @Test func `a pause of a host ends when too few of its refused URLs are waited for`() throws {
    let urls = try (1...4).map { try #require(URL(string: "http://example.com/\($0)")) }
    var refused = RefusedURLs()
    for url in urls { refused.refuse(url, until: .seconds(9)) }
    #expect(refused.limit == 0)
    refused.remove(urls[3])
    #expect(refused.limit == 0)
    refused.remove(urls[2])
    #expect(refused.limit == nil)
    #expect(refused.nextEnd == .seconds(9))
    #expect(!refused.isPaused(urls[2]))
    // Three in a row pause it again.
    refused.refuse(urls[2], until: .seconds(5))
    #expect(refused.limit == 0)
    // The longest pause is that of the host; without one, the first URL goes on alone.
    refused.refuse(urls[3], until: .seconds(3))
    #expect(refused.nextEnd == .seconds(5))
    for url in urls.prefix(2) { refused.remove(url) }
    #expect(refused.nextEnd == .seconds(3))
  }

  @Test mutating func `a response that is served ends a pause that other URLs have caused`() throws {
    try enqueue(1...20)
    var active: [HostQueues.Transfer] = []
    while let (_, transfer) = queues.dequeue() { active.append(transfer) }
    for transfer in active.prefix(5) { queues.end(transfer, status: 503, pausedUntil: .seconds(10)) }
    let none = start()
    #expect(none.isEmpty)
    queues.end(active[5], status: 200)
    let some = start()
    #expect(!some.isEmpty)
  }

  @Test mutating func `after a pause of the host by 429 another URL probes, however urgent the refused one is`() throws
  {
    queues.enqueue(1, for: try origin(path: "1"), .veryHigh)
    guard let refused = queues.dequeue() else { return }
    queues.end(refused.transfer, status: 429, pausedUntil: .seconds(5))
    queues.enqueue(2, for: try origin(path: "1"), .veryHigh)
    queues.enqueue(3, for: try origin(path: "2"), .veryLow)
    queues.endPauses(at: .seconds(5))
    let probe = queues.dequeue()
    #expect(probe?.id == 3)
  }

  /// What happens to requests for many hosts, which wait at the same time.
  enum Course: CaseIterable {
    case served, cancelled, rejected, raised, paused, refusedURLs
  }

  /// The processor time of a request for each of some hosts, all of which wait at once, in seconds.
  private func processorTime(_ course: Course, _ targets: ArraySlice<HTTPURL>) -> Double {
    var queues = HostQueues(limits: ConnectionLimits(total: course == .rejected ? 1 : 24))
    var (start, end) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
    for (id, target) in targets.enumerated() { queues.enqueue(UInt64(id), for: target, .normal) }
    switch course {
    case .served: break
    case .cancelled: for id in targets.indices { queues.remove(UInt64(id)) }
    case .rejected: while let id = queues.waiterToReject() { queues.remove(id) }
    case .raised: for id in targets.indices.reversed() { queues.updatePriority(of: UInt64(id), to: .high) }
    case .paused, .refusedURLs:
      for (id, target) in targets.enumerated() {
        queues.pause(target, status: course == .paused ? 429 : 503, until: .seconds(id + 1))
        _ = queues.nextPauseEnd()
      }
    }
    var uptime = Duration.zero
    while queues.waitingCount > 0 {
      while let (_, transfer) = queues.dequeue() { queues.end(transfer, status: course == .paused ? 429 : 200) }
      uptime += .seconds(1)
      queues.endPauses(at: uptime)
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) * 1e-9
  }

  @Test(arguments: Course.allCases)
  func `four times as many hosts that wait cost at most five times as much`(course: Course) throws {
    let targets = try (0..<4000).map { try origin("\($0)") }
    var (fewer, all) = (Double.infinity, Double.infinity)
    // The least of several in turn, since other threads change the caches of the processor.
    for _ in 0..<30 where all >= 5 * fewer {
      fewer = min(fewer, processorTime(course, targets.prefix(1000)))
      all = min(all, processorTime(course, targets[...]))
    }
    #expect(all < 5 * fewer)
  }
}
