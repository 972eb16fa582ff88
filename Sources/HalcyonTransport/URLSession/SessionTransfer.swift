#if URLSESSION
import HalcyonHTTP
import HalcyonSupport
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A task of a `URLSession`, and the transfer that receives its data.
final class SessionTransfer: Sendable {
  /// Foundation for Linux loses the state of a task that is suspended while it receives, and traps.
  #if canImport(FoundationNetworking)
  private static let suspendsTasks = false
  #else
  private static let suspendsTasks = true
  #endif

  let transfer: Transfer
  let task: URLSessionTask

  private struct State {
    var timeouts: SessionTimeouts
    /// The limit that has passed, for which the task was cancelled.
    var expiry: SessionTimeouts.Expiry?
    var metrics: URLSessionTaskMetrics?
    /// The length of the body, where it arrives as it was sent.
    var declaredByteCount: Int?
  }

  private let state: Lock<State>

  init(task: URLSessionTask, request: TransportRequest) {
    self.task = task
    transfer = Transfer(request: request)
    state = Lock(State(timeouts: SessionTimeouts(request.limits, start: SystemTime().uptime())))
  }

  /// Ends the transfer when it has taken too long.
  func watchTimeouts() {
    let (time, _) = state.withLock { $0.timeouts.next }
    let wait = max(.milliseconds(1), time - SystemTime().uptime())
    DispatchQueue.global().asyncAfter(deadline: .now() + min(wait, .seconds(3600)).inSeconds) { [weak self] in
      guard let self, !transfer.hasEnded else { return }
      if checkTimeouts() { watchTimeouts() }
    }
  }

  /// Whether no limit has passed.
  private func checkTimeouts() -> Bool {
    let now = SystemTime().uptime()
    let isPaused = transfer.isPaused
    let expiry: SessionTimeouts.Expiry? = state.withLock { state in
      if isPaused { state.timeouts.receive(at: now) }
      let next = state.timeouts.next
      state.expiry = next.time <= now ? next.expiry : nil
      return state.expiry
    }
    guard let expiry else { return true }
    let limits = transfer.request.limits
    switch expiry {
    // Its metrics tell whether there was a connection.
    case .beforeResponse: break
    case .idle: transfer.end(.failure(.idleTimedOut(limits.idleTimeout)))
    case .total: transfer.end(.failure(.totalTimedOut(limits.totalTimeout ?? .zero)))
    }
    task.cancel()
    return false
  }

  private func receivedBytes() { state.withLock { $0.timeouts.receive(at: SystemTime().uptime()) } }

  func receive(_ metrics: URLSessionTaskMetrics) { state.withLock { $0.metrics = metrics } }

  /// Records that the task waits for a connection.
  func waitForConnectivity() { state.withLock { $0.timeouts.waitForConnectivity() } }

  /// Records that a challenge was rejected: the task itself ends with the error of a cancellation.
  func rejectChallenge() {
    transfer.end(.failure(.secureConnectionFailed(host: host, reason: "the challenge handler rejected it")))
  }

  func cancel() {
    transfer.end(.failure(.cancelled))
    task.cancel()
  }

  func next() async throws(TransportError) -> Data? {
    let piece = try await transfer.nextPiece()
    if piece.wasPaused { task.resume() }
    return piece.bytes
  }

  func receive(_ response: URLResponse) {
    guard let response = response as? HTTPURLResponse else { return }
    receivedBytes()
    // Only a proxy sends it (RFC 9110, 15.5.8); the session does not say which.
    guard response.statusCode != 407 else {
      let reason = "it responded with HTTP 407 itself"
      transfer.end(.failure(.proxyFailed(proxy: "of the system", status: 407, reason: reason)))
      return task.cancel()
    }
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields { headers.add(name: "\(name)", value: "\(value)") }
    let byteLimit = transfer.request.limits.headerByteCount
    guard headers.fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= byteLimit else {
      transfer.end(.failure(.headersTooLarge(byteLimit: byteLimit)))
      return task.cancel()
    }
    declare(headers, status: response.statusCode)
    transfer.receive(Transfer.Head(status: response.statusCode, headers: headers))
    transfer.wakeReader()
  }

  /// Records the length of a body that the response declares: responses to HEAD or with the status 204 or 304 have
  /// none, and a compressed body has another length once decoded.
  private func declare(_ headers: HTTPHeaders, status: Int) {
    guard transfer.request.method.name != "HEAD", status != 204, status != 304, headers["Content-Encoding"] == nil,
      headers["Transfer-Encoding"] == nil, let length = headers.contentLength
    else { return }
    state.withLock { $0.declaredByteCount = length }
  }

  func receive(_ data: Data) {
    receivedBytes()
    // `take` returns `true` once per pause: each call of suspend() needs its own resume().
    let isFull = data.withUnsafeBytes { transfer.take($0) }
    if isFull, Self.suspendsTasks { task.suspend() }
    transfer.wakeReader()
  }

  func end(_ error: (any Error)?) {
    let (metrics, expiry) = state.withLock { ($0.metrics, $0.expiry) }
    let timings = metrics.flatMap { TransportTimings($0, received: transfer.received) }
    let limits = transfer.request.limits
    if expiry == .beforeResponse {
      let isConnected = metrics?.hasConnected ?? true
      transfer.end(
        .failure(isConnected ? .idleTimedOut(limits.idleTimeout) : .connectTimedOut(limits.connectTimeout)),
        timings: timings)
    }
    transfer.end(outcome(error), timings: timings)
  }

  /// A task whose connection is closed early may end without an error, or with one of another cause.
  private func outcome(_ error: (any Error)?) -> Result<Void, TransportError> {
    let (received, declared) = (transfer.received, state.withLock { $0.declaredByteCount })
    if let declared, received < declared {
      return .failure(.connectionLost(received: received, expected: declared))
    }
    return error.map { .failure(transportError($0)) } ?? .success(())
  }

  private var host: String { transfer.host }

  private func transportError(_ error: any Error) -> TransportError {
    let reason = error.localizedDescription
    guard let error = error as? URLError else { return .failed(reason: reason) }
    switch error.code {
    // `cancel()` has ended the transfer before. With HTTP/2 a rejected challenge cancels all tasks of the connection.
    case .cancelled: return .connectionFailed(host: host, reason: "the system cancelled the transfer")
    case .cannotFindHost, .dnsLookupFailed: return .hostNotFound(host)
    case .cannotConnectToHost, .notConnectedToInternet: return .connectionFailed(host: host, reason: reason)
    case .timedOut: return .idleTimedOut(transfer.request.limits.idleTimeout)
    case .networkConnectionLost:
      return .connectionLost(received: transfer.received, expected: nil)
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected:
      return .secureConnectionFailed(host: host, reason: reason)
    case .badServerResponse, .cannotParseResponse: return .malformedResponse(reason: reason)
    case .cannotDecodeContentData, .cannotDecodeRawData: return .badContentEncoding(reason: reason)
    default: return .failed(reason: reason)
    }
  }
}
#endif
