#if canImport(CurlShim)
import CurlShim
import HalcyonHTTP

extension CurlHandle {
  /// The timeout that the transfer has exceeded, if any.
  func timeoutError(at now: ContinuousClock.Instant) -> TransportError? {
    if let limit = limits.totalTimeout, now >= start + limit { return .totalTimedOut(limit) }
    return now >= idleDeadline(at: now) ? .idleTimedOut(limits.idleTimeout) : nil
  }

  /// The earliest time at which `timeoutError(at:)` can return an error.
  func nextDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let idle = idleDeadline(at: now)
    return limits.totalTimeout.map { min(idle, start + $0) } ?? idle
  }

  /// When the idle timeout expires, if no byte arrives before.
  private func idleDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    // While receiving is paused the server cannot send, so it is not idle.
    if transfer.isPaused { return now + limits.idleTimeout }
    guard !transfer.hasHead else { return lastActivity + limits.idleTimeout }
    // Connecting has its own timeout; the idle timeout begins once the request can be sent.
    let sent = easy.number(CURLINFO_PRETRANSFER_TIME_T)
    return (sent == 0 ? now : max(lastActivity, start + .microseconds(sent))) + limits.idleTimeout
  }
}
#endif
