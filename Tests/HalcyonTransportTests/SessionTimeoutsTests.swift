#if URLSESSION
import HalcyonHTTP
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

@Suite(.unitTest)
struct SessionTimeoutsTests {
  private let limits = TransportLimits(connectTimeout: .seconds(10), idleTimeout: .seconds(15))

  @Test func `a response has to begin within both timeouts together, then each byte within the idle timeout`() {
    var timeouts = SessionTimeouts(limits, start: .seconds(100))
    #expect(timeouts.next == (.seconds(125), .beforeResponse))
    timeouts.receive(at: .seconds(103))
    #expect(timeouts.next == (.seconds(118), .idle))
    timeouts.receive(at: .seconds(110))
    #expect(timeouts.next == (.seconds(125), .idle))
  }

  @Test func `the total timeout ends a transfer that the others would not`() {
    var limits = limits
    limits.totalTimeout = .seconds(20)
    var timeouts = SessionTimeouts(limits, start: .seconds(100))
    #expect(timeouts.next == (.seconds(120), .total))
    timeouts.receive(at: .seconds(101))
    #expect(timeouts.next == (.seconds(116), .idle))
    timeouts.receive(at: .seconds(119))
    #expect(timeouts.next == (.seconds(120), .total))
  }

  @Test func `a transfer that waits for a connection ends by the total timeout only`() {
    var limits = limits
    var timeouts = SessionTimeouts(limits, start: .seconds(100))
    timeouts.waitForConnectivity()
    #expect(timeouts.next.time > .seconds(1_000_000))
    timeouts.receive(at: .seconds(500))
    #expect(timeouts.next == (.seconds(515), .idle))
    limits.totalTimeout = .seconds(60)
    timeouts = SessionTimeouts(limits, start: .seconds(100))
    timeouts.waitForConnectivity()
    #expect(timeouts.next == (.seconds(160), .total))
  }

  @Test func `timeouts may be as long as a duration`() {
    let never = Duration.seconds(Int64.max)
    let timeouts = SessionTimeouts(
      TransportLimits(connectTimeout: never, idleTimeout: never, totalTimeout: never), start: .seconds(1))
    #expect(timeouts.next.time > .seconds(1_000_000))
  }
}
#endif
