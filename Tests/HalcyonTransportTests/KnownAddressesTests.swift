#if !URLSESSION
import HalcyonHTTP
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

@Suite(.unitTest)
struct KnownAddressesTests {
  private let start = ContinuousClock.now

  private func lifetimes(_ addresses: KnownAddresses, after seconds: Double) -> [Int] {
    ["a", "b"].map { addresses.lifetime(for: $0, at: start + .seconds(seconds)) }
  }

  @Test(arguments: [
    (TransportError.connectionFailed(host: "a", reason: "refused"), 0), (.connectTimedOut(.seconds(1)), 0),
    (.proxyFailed(proxy: "p", status: nil, reason: "refused"), 0),
    (.proxyFailed(proxy: "p", status: 407, reason: "password"), 60), (.connectionLost(received: 0, expected: nil), 60),
  ])
  func `addresses from before a failure to connect to a host are not used`(error: TransportError, lifetime: Int) {
    let addresses = KnownAddresses()
    #expect(lifetimes(addresses, after: 0) == [60, 60])
    addresses.record(error, of: "a", at: start)
    #expect(lifetimes(addresses, after: 0.9) == [lifetime, 60])
    #expect(lifetimes(addresses, after: 10) == [max(lifetime, 10), 60])
    #expect(lifetimes(addresses, after: 100) == [60, 60])
  }

  @Test func `addresses from before a change of network are not used`() {
    var addresses = KnownAddresses()
    addresses.recordNetworkChange(at: start)
    #expect(lifetimes(addresses, after: 0.9) == [0, 0])
    addresses.record(.connectTimedOut(.seconds(1)), of: "a", at: start + .seconds(4))
    #expect(lifetimes(addresses, after: 9) == [5, 9])
  }
}
#endif
