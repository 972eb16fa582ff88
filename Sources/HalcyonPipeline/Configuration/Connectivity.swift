import HalcyonSupport
import Foundation

/// Tells when there is a network to try again on.
public protocol Connectivity: Sendable {
  /// Returns once there is a network, at once where there is one already; throws `CancellationError` when the task is
  /// cancelled.
  func waitUntilOnline() async throws
}

/// Whether this machine has an address on any network but its own.
///
/// Says nothing about what can be reached there. While it waits it looks once a second.
public struct SystemConnectivity: Connectivity {
  private let time: any TimeSource
  private let isOnline: @Sendable () -> Bool

  /// Creates a watch over the interfaces of this machine.
  public init() {
    self.init(time: SystemTime()) { Self.hasOutsideAddress() }
  }

  init(time: any TimeSource, isOnline: @escaping @Sendable () -> Bool) {
    self.time = time
    self.isOnline = isOnline
  }

  /// Waits until an interface is up and has an address.
  public func waitUntilOnline() async throws {
    while !isOnline() { try await time.sleep(for: .seconds(1)) }
  }

  /// Asks the kernel, in microseconds.
  static func hasOutsideAddress() -> Bool {
    var first: UnsafeMutablePointer<ifaddrs>?
    // Where it cannot be told, trying is the best that can be done.
    guard getifaddrs(&first) == 0 else { return true }
    defer { freeifaddrs(first) }
    var next = first
    while let interface = next?.pointee {
      if isOutside(interface) { return true }
      next = interface.ifa_next
    }
    return false
  }

  private static func isOutside(_ interface: ifaddrs) -> Bool {
    guard let address = interface.ifa_addr else { return false }
    let (flags, family) = (Int(interface.ifa_flags), Int32(address.pointee.sa_family))
    let isUp = flags & Int(IFF_UP) != 0 && flags & Int(IFF_RUNNING) != 0 && flags & Int(IFF_LOOPBACK) == 0
    return isUp && (family == AF_INET || family == AF_INET6)
  }
}
