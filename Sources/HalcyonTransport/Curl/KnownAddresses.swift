#if canImport(CHalcyonCurlShim)
import HalcyonHTTP
@_spi(Programs) import HalcyonSupport

/// How long the addresses of names that libcurl has resolved may be used.
///
/// Not those from before a connection to the host failed, or from before a change of network: the name may have moved.
struct KnownAddresses {
  /// libcurl's default, in seconds.
  static let longestLifetime = 60

  /// When a connection to a host last failed.
  private let failures = RecentTable<String, ContinuousClock.Instant>(costLimit: 1000)
  private var networkChange: ContinuousClock.Instant?

  /// Records that a request ended.
  func record(_ error: TransportError, of host: String, at now: ContinuousClock.Instant) {
    switch error {
    case .connectionFailed, .connectTimedOut, .proxyFailed(_, nil, _): failures.insert(now, for: host)
    default: break
    }
  }

  mutating func recordNetworkChange(at now: ContinuousClock.Instant) { networkChange = now }

  /// How old a known address of a host may be now, in seconds.
  func lifetime(for host: String, at now: ContinuousClock.Instant) -> Int {
    let events = [failures[host], networkChange].compactMap(\.self)
    return events.map { Int($0.duration(to: now).components.seconds) }.reduce(Self.longestLifetime, min)
  }
}
#endif
