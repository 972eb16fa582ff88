#if URLSESSION
import HalcyonHTTP
import HalcyonSupport
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A task of a `URLSession`, and the transfer that receives its data.
final class SessionTransfer: Sendable {
  let transfer: Transfer
  let task: URLSessionTask

  private struct State {
    var timeouts: SessionTimeouts
    /// The limit that has passed, for which the task was cancelled.
    var expiry: SessionTimeouts.Expiry?
    var metrics: URLSessionTaskMetrics?
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
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields { headers.add(name: "\(name)", value: "\(value)") }
    let byteLimit = transfer.request.limits.headerByteCount
    guard headers.fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= byteLimit else {
      transfer.end(.failure(.headersTooLarge(byteLimit: byteLimit)))
      return task.cancel()
    }
    transfer.receive(Transfer.Head(status: response.statusCode, headers: headers))
    transfer.wakeReader()
  }

  func receive(_ data: Data) {
    receivedBytes()
    // `take` returns `true` once per pause: each call of suspend() needs its own resume().
    if data.withUnsafeBytes({ transfer.take($0) }) { task.suspend() }
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
    transfer.end(error.map { .failure(transportError($0)) } ?? .success(()), timings: timings)
  }

  private func transportError(_ error: any Error) -> TransportError {
    let host = transfer.request.url.host(percentEncoded: false) ?? "the host"
    let reason = error.localizedDescription
    guard let error = error as? URLError else { return .failed(reason: reason) }
    switch error.code {
    case .cancelled: return .cancelled
    case .cannotFindHost, .dnsLookupFailed: return .hostNotFound(host)
    case .cannotConnectToHost, .notConnectedToInternet: return .connectionFailed(host: host, reason: reason)
    case .timedOut: return .idleTimedOut(transfer.request.limits.idleTimeout)
    case .networkConnectionLost:
      return .connectionLost(received: transfer.received, expected: expectedByteCount)
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected:
      return .secureConnectionFailed(host: host, reason: reason)
    case .badServerResponse: return .malformedResponse(reason: reason)
    case .cannotDecodeContentData, .cannotDecodeRawData: return .badContentEncoding(reason: reason)
    default: return .failed(reason: reason)
    }
  }

  private var expectedByteCount: Int? {
    let count = task.countOfBytesExpectedToReceive
    return count > 0 ? Int(count) : nil
  }
}
#endif
