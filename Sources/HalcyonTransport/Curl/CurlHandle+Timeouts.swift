#if canImport(CHalcyonCurlShim)
import CHalcyonCurlShim
import HalcyonHTTP
import HalcyonSupport

extension CurlHandle {
  /// The timeout that the transfer has exceeded, if any.
  func timeoutError(at now: ContinuousClock.Instant) -> TransportError? {
    if let limit = limits.totalTimeout, now >= start + limit.clamped { return .totalTimedOut(limit) }
    if now >= connectDeadline {
      let limit = limits.connectTimeout
      return proxyError(reason: "there was no connection within \(limit)") ?? .connectTimedOut(limit)
    }
    return now >= idleDeadline(at: now) ? .idleTimedOut(limits.idleTimeout) : nil
  }

  /// The earliest time at which `timeoutError(at:)` can return an error, or the connection be dead.
  func nextDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    var deadline = min(connectDeadline, idleDeadline(at: now))
    if let silenceDeadline { deadline = min(deadline, silenceDeadline) }
    if let end = self.deadline(of: connection) { deadline = min(deadline, end) }
    return limits.totalTimeout.map { min(deadline, start + $0.clamped) } ?? deadline
  }

  /// A system acknowledges what it has received after 0.2 seconds at the latest, if it has nothing to send (Linux).
  private static let longestAcknowledgement = Duration.milliseconds(250)

  /// When a reused connection counts as silent. On a multiplexed one, bytes of any response count.
  var silenceDeadline: ContinuousClock.Instant? {
    guard maySendAgain, !isAcknowledged, let sent, let connection else { return nil }
    let deadline = max(sent, connection.lastActivity ?? sent) + openConnections.firstByteLimit(of: connection.server)
    return firstSilence.map { max(deadline, $0 + Self.longestAcknowledgement) } ?? deadline
  }

  /// When a connection is silent for too long, if nothing arrives over it before; `nil` if nothing is waited for.
  func deadline(of connection: OpenConnection?) -> ContinuousClock.Instant? {
    guard !transfer.isPaused else { return nil }
    return connection?.unansweredSince.map { $0 + limits.idleTimeout.clamped }
  }

  /// Whether nothing has arrived over the connection for the idle timeout, for this transfer or any other.
  func isConnectionSilent(at now: ContinuousClock.Instant) -> Bool {
    guard let connection else { return false }
    if let deadline = deadline(of: connection), now >= deadline { return true }
    return now >= idleDeadline(at: now) && connection.lastActivity ?? lastActivity <= lastActivity
  }

  /// When the connect timeout expires, if there is no connection before.
  ///
  /// libcurl's own timeout does not run while a transfer waits for the connection that another one opens
  /// (CURLOPT_PIPEWAIT).
  private var connectDeadline: ContinuousClock.Instant {
    lastStart + (timeToSend == nil ? limits.connectTimeout.clamped : .longest)
  }

  /// When the idle timeout expires, if no byte arrives before.
  private func idleDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let limit = limits.idleTimeout.clamped
    // While receiving is paused the server cannot send, so it is not idle.
    if transfer.isPaused { return now + limit }
    guard !transfer.hasHead else { return lastActivity + limit }
    // Connecting has its own timeout; the idle timeout begins once the request can be sent, at the time that the connection
    // counts from, too.
    return ((sent ?? timeToSend.map { lastStart + $0 }).map { max(lastActivity, $0) } ?? now) + limit
  }

  /// From the start until the request could be sent over a connection; `nil` while there is none.
  private var timeToSend: Duration? {
    if transfer.hasHead { return .zero }
    let sent = easy.number(CURLINFO_PRETRANSFER_TIME_T)
    return sent == 0 ? nil : .microseconds(sent)
  }
}
#endif
