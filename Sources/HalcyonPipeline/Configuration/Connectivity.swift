import HalcyonSupport
import Foundation

/// Reports when the machine is online, so that failed transfers can be retried.
package protocol Connectivity: Sendable {
  /// Returns once the machine is online, immediately if it already is.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func waitUntilOnline() async throws
}

/// Waits until a network interface other than loopback is up and has an IP address.
///
/// Whether a server can be reached is not checked. Polls once a second while waiting.
package struct SystemConnectivity: Connectivity {
  private let time: any TimeSource
  private let isOnline: @Sendable () -> Bool

  /// Creates a check of the interfaces of this machine.
  package init() {
    self.init(time: SystemTime()) { Self.hasOutsideAddress() }
  }

  init(time: any TimeSource, isOnline: @escaping @Sendable () -> Bool) {
    self.time = time
    self.isOnline = isOnline
  }

  /// Waits until an interface is up and has an IP address.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  package func waitUntilOnline() async throws {
    while !isOnline() { try await time.sleep(for: .seconds(1)) }
  }

  /// A system call of a few microseconds.
  static func hasOutsideAddress() -> Bool {
    var first: UnsafeMutablePointer<ifaddrs>?
    // If the interfaces cannot be listed, assume that the machine is online: a retry finds out.
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
