#if URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonSupport

/// The timeouts of a transfer of `URLSession`, which itself has one only for the time between two packets.
///
/// `URLSession` does not notify of a connection. So a response has to begin within the connect and the idle timeout
/// together; which of them has passed is known when the task has ended.
struct SessionTimeouts {
  enum Expiry: Hashable {
    /// No response has begun.
    case beforeResponse
    case idle
    case total
  }

  private let limits: TransportLimits
  private let start: Duration
  private var lastByte: Duration?
  private var waitsForConnectivity = false

  init(_ limits: TransportLimits, start: Duration) {
    (self.limits, self.start) = (limits, start)
  }

  /// Until a response begins, no timeout but the total one applies: it is not known when there is a connection.
  mutating func waitForConnectivity() { waitsForConnectivity = true }

  /// A byte was received, or the reader has not read those that were.
  mutating func receive(at now: Duration) { lastByte = now }

  /// The time at which the transfer has taken too long unless bytes arrive, and the limit that it reaches then.
  var next: (time: Duration, expiry: Expiry) {
    let idle = limits.idleTimeout.clamped
    let connect = waitsForConnectivity ? .longest : limits.connectTimeout.clamped
    let first: (Duration, Expiry) = lastByte.map { ($0 + idle, .idle) } ?? (start + connect + idle, .beforeResponse)
    guard let total = limits.totalTimeout?.clamped, start + total <= first.0 else { return first }
    return (start + total, .total)
  }
}
#endif
