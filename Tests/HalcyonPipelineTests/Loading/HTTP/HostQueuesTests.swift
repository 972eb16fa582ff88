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

  private func origin(_ host: String = "a") throws -> Origin {
    try #require(URL(string: "http://\(host).example/").flatMap(Origin.init))
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
    queues.pause(origin, until: .seconds(10))
    // The end of the transfers in flight does not end the pause.
    for transfer in active { queues.end(transfer, status: 200) }
    queues.endPauses(at: .seconds(9))
    more = start()
    #expect(more.isEmpty)
    #expect(queues.nextPauseEnd == .seconds(10))
    queues.endPauses(at: .seconds(10))
    #expect(queues.nextPauseEnd == nil)
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
    queues.pause(try origin("paused"), until: .seconds(10))
    let atOnce = queues.enterAtOnce(try origin("paused"), .veryHigh)
    #expect(atOnce == nil)
    queues.enqueue(1, for: try origin("paused"), .veryHigh)
    queues.enqueue(2, for: try origin("other"), .low)
    let started = start()
    #expect(started.count == 1)
    #expect(queues.waitingCount == 1)
  }

  @Test mutating func `the longest of several pauses counts`() throws {
    queues.pause(try origin(), until: .seconds(10))
    queues.pause(try origin(), until: .seconds(5))
    queues.enqueue(1, for: try origin(), .normal)
    #expect(queues.nextPauseEnd == .seconds(10))
  }

  @Test mutating func `of hosts without loads a limited number is known, those whose pauses end last`() throws {
    queues.pause(try origin("kept"), until: .seconds(1))
    queues.enqueue(1, for: try origin("kept"), .normal)
    for number in 2...201 { queues.pause(try origin("\(number)"), until: .seconds(number)) }
    #expect(queues.nextPauseEnd == .seconds(1))
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
    #expect(queues.leastUrgent == 5)
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
    #expect(queues.leastUrgent == (newestFirst ? 1 : 3))
  }
}
