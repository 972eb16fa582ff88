#if canImport(CHalcyonCurlShim)
import Foundation
import HalcyonHTTP

#if canImport(Glibc)
import Glibc
#endif

/// Detects events that silently end connections: the computer has slept, or lost an address.
struct NetworkWatch {
  /// The state that connections depend on.
  struct State: Equatable, Sendable {
    /// How long the computer has slept since it started.
    var asleep: Duration
    /// The IP addresses of its interfaces.
    var addresses: Set<String>
  }

  /// Shorter sleeps cannot be told from the time between the readings of the two clocks.
  private static let shortestSleep = Duration.seconds(1)

  private let interval: Duration
  private let current: @Sendable () -> State
  private var known: State
  private var nextCheck: ContinuousClock.Instant?

  /// - Parameters:
  ///   - interval: The time between two looks.
  ///   - current: Reads the state. Default: the system's.
  init(interval: Duration = .seconds(1), current: @escaping @Sendable () -> State = { .system() }) {
    self.interval = interval
    self.current = current
    known = State(asleep: .zero, addresses: [])
  }

  /// Whether connections may have ended since the last call; looks once in an interval at most, for some 50 microseconds.
  mutating func hasChanged(at now: ContinuousClock.Instant) -> Bool {
    if let nextCheck, now < nextCheck { return false }
    let isFirst = nextCheck == nil
    nextCheck = now + interval
    let state = current()
    defer { known = state }
    if isFirst { return false }
    return state.asleep - known.asleep >= Self.shortestSleep || !known.addresses.isSubset(of: state.addresses)
  }
}

extension NetworkWatch.State {
  static func system() -> Self {
    // In this order, so that the difference is not negative.
    let awake = clock(CLOCK_MONOTONIC)
    return Self(asleep: clock(CLOCK_BOOTTIME) - awake, addresses: interfaceAddresses())
  }

  private static func clock(_ id: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(id, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func interfaceAddresses() -> Set<String> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var addresses: Set<String> = []
    for interface in sequence(first: first, next: { $0?.pointee.ifa_next }) {
      guard let address = interface?.pointee.ifa_addr else { continue }
      let family = Int32(address.pointee.sa_family)
      guard family == AF_INET || family == AF_INET6 else { continue }
      let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
      if let (ip, _) = IPAddress.read(address, byteCount: size) { addresses.insert(ip.description) }
    }
    return addresses
  }
}
#endif
