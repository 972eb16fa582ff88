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

  init(task: URLSessionTask, request: TransportRequest) {
    self.task = task
    transfer = Transfer(request: request)
  }

  /// Ends the transfer after its total timeout.
  ///
  /// `URLSession` has such a limit only for the whole session (`timeoutIntervalForResource`), not for each task.
  func limitTotalTime() {
    guard let limit = transfer.request.limits.totalTimeout else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit.clamped.inSeconds) { [weak self] in
      guard let self, transfer.end(.failure(.totalTimedOut(limit))) else { return }
      task.cancel()
    }
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
    // `take` returns `true` once per pause: each call of suspend() needs its own resume().
    if data.withUnsafeBytes({ transfer.take($0) }) { task.suspend() }
    transfer.wakeReader()
  }

  func end(_ error: (any Error)?) {
    transfer.end(error.map { .failure(transportError($0)) } ?? .success(()))
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
