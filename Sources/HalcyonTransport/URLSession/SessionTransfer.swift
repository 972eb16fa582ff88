#if canImport(Darwin)
import Foundation
import HalcyonCore

/// What the session and the reader of one transfer tell each other.
final class SessionTransfer: Sendable {
  struct Head: Sendable {
    var status: Int
    var headers: HTTPHeaders
  }

  /// Bytes that wait for the reader before the server is made to wait.
  private static let bufferLimit = 256 << 10

  private struct State {
    var head: Head?
    var headWaiter: CheckedContinuation<Result<Head, TransportError>, Never>?
    var buffer = Data()
    var pieceWaiter: CheckedContinuation<Void, Never>?
    var isPaused = false
    var received = 0
    var outcome: Result<Void, TransportError>?
  }

  let task: URLSessionTask
  private let request: TransportRequest
  private let state = Locked(State())

  init(task: URLSessionTask, request: TransportRequest) {
    self.task = task
    self.request = request
  }

  func head() async throws(TransportError) -> Head {
    let result = await withCheckedContinuation { continuation in
      let known: Result<Head, TransportError>? = state.withLock { state in
        if let head = state.head { return .success(head) }
        if case .failure(let error) = state.outcome { return .failure(error) }
        state.headWaiter = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
    return try result.get()
  }

  func nextPiece() async throws(TransportError) -> Data? {
    while true {
      let next: (piece: Data?, hasRoom: Bool, outcome: Result<Void, TransportError>?) = state.withLock { state in
        guard !state.buffer.isEmpty else { return (nil, false, state.outcome) }
        defer {
          state.buffer = Data()
          state.isPaused = false
        }
        return (state.buffer, state.isPaused, nil)
      }
      if next.hasRoom { task.resume() }
      if let piece = next.piece { return piece }
      if let outcome = next.outcome {
        try outcome.get()
        return nil
      }
      await waitForChange()
    }
  }

  private func waitForChange() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard state.buffer.isEmpty, state.outcome == nil else { return true }
        state.pieceWaiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  func receive(_ response: URLResponse) {
    guard let response = response as? HTTPURLResponse else { return }
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields { headers.add(name: "\(name)", value: "\(value)") }
    let byteCount = headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    let result: Result<Head, TransportError> =
      byteCount <= request.limits.headerByteCount
      ? .success(Head(status: response.statusCode, headers: headers))
      : .failure(.headersTooLarge(byteLimit: request.limits.headerByteCount))
    let waiter = state.withLock { state in
      if case .success(let head) = result { state.head = head } else { state.outcome = result.map { _ in } }
      defer { state.headWaiter = nil }
      return state.headWaiter
    }
    if case .failure = result { task.cancel() }
    waiter?.resume(returning: result)
  }

  func receive(_ data: Data) {
    let (becameFull, waiter) = state.withLock { state in
      state.buffer.append(data)
      state.received += data.count
      // Each call of suspend() needs its own resume().
      let becomesFull = !state.isPaused && state.buffer.count >= Self.bufferLimit
      if becomesFull { state.isPaused = true }
      defer { state.pieceWaiter = nil }
      return (becomesFull, state.pieceWaiter)
    }
    if becameFull { task.suspend() }
    waiter?.resume()
  }

  func end(_ error: (any Error)?) {
    let failure = error.map { transportError($0) }
    let (headWaiter, pieceWaiter, outcome) = state.withLock { state in
      let outcome = state.outcome ?? failure.map { .failure($0) } ?? .success(())
      state.outcome = outcome
      if case .failure = outcome { state.buffer = Data() }
      defer {
        state.headWaiter = nil
        state.pieceWaiter = nil
      }
      return (state.headWaiter, state.pieceWaiter, outcome)
    }
    headWaiter?.resume(returning: outcome.flatMap { .failure(.malformedResponse(reason: "there is no head")) })
    pieceWaiter?.resume()
  }

  private func transportError(_ error: any Error) -> TransportError {
    let host = request.url.host(percentEncoded: false) ?? "the host"
    let reason = error.localizedDescription
    guard let error = error as? URLError else { return .failed(reason: reason) }
    switch error.code {
    case .cancelled: return .cancelled
    case .cannotFindHost, .dnsLookupFailed: return .hostNotFound(host)
    case .cannotConnectToHost, .notConnectedToInternet: return .connectionFailed(host: host, reason: reason)
    case .timedOut: return .idleTimedOut(request.limits.idleTimeout)
    case .networkConnectionLost:
      return .connectionLost(received: state.withLock(\.received), expected: expectedByteCount)
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
