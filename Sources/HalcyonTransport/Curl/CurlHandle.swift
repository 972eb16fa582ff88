#if canImport(CurlShim)
import HalcyonHTTP
import CurlShim
import Foundation

/// One transfer and the easy handle that serves it; used only on the thread of the loop.
final class CurlHandle {
  let transfer: Transfer
  let easy: EasyHandle
  private let news: CompletedTransfers
  private var headParser: ResponseHeadParser
  private let start: ContinuousClock.Instant
  private var lastActivity: ContinuousClock.Instant
  private var failure: TransportError?
  private var connections: ConnectionGuard
  private let openConnections: OpenConnections
  private var end: OpenConnections.End?
  /// Whether it was given a connection that may serve no more, and has to be added again for another.
  private(set) var needsAnotherConnection = false

  /// Sets up a transfer.
  init(
    transfer: Transfer, easy: EasyHandle, addressPolicy: AddressPolicy, news: CompletedTransfers,
    openConnections: OpenConnections
  ) {
    self.transfer = transfer
    self.easy = easy
    self.news = news
    self.openConnections = openConnections
    (start, lastActivity) = (news.time, news.time)
    headParser = ResponseHeadParser(byteLimit: transfer.request.limits.headerByteCount)
    connections = ConnectionGuard(policy: addressPolicy, url: transfer.request.url)
    // The handle outlives its use by libcurl: it is removed in `close`, before it can be freed.
    easy.prepare(transfer.request, context: Unmanaged.passUnretained(self).toOpaque())
  }

  func add(to multi: UnsafeMutableRawPointer) throws(TransportError) {
    needsAnotherConnection = false
    let code = curl_multi_add_handle(multi, easy.pointer)
    guard code == CURLM_OK else { throw .failed(reason: String(cString: curl_multi_strerror(code))) }
  }

  /// Ends the transfer; an unfinished one loses its connection.
  func close(in multi: UnsafeMutableRawPointer, _ outcome: Result<Void, TransportError>) {
    let timings = easy.timings
    curl_multi_remove_handle(multi, easy.pointer)
    transfer.end(outcome, timings: timings)
  }

  /// Begins anew, over another connection: nothing has been sent yet.
  func startAgain(in multi: UnsafeMutableRawPointer) throws(TransportError) {
    curl_multi_remove_handle(multi, easy.pointer)
    try add(to: multi)
  }

  /// The transfer that `easy` serves.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlHandle? {
    var context: UnsafeMutableRawPointer?
    halcyon_curl_get_context(easy, &context)
    return context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Lets the server go on sending.
  func unpause() {
    lastActivity = news.time
    curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// Why the transfer has to end now because of its time; `nil` when it may go on.
  func overdue(at now: ContinuousClock.Instant) -> TransportError? {
    if let limit = limits.totalTimeout, now >= start + limit { return .totalTimedOut(limit) }
    return now >= idleDeadline(at: now) ? .idleTimedOut(limits.idleTimeout) : nil
  }

  /// Before this, `overdue(at:)` need not be asked again.
  func nextDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let idle = idleDeadline(at: now)
    return limits.totalTimeout.map { min(idle, start + $0) } ?? idle
  }

  private var limits: TransportLimits { transfer.request.limits }

  /// When the server will have been silent for too long, if it stays so.
  private func idleDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    // A reader that does not read keeps no server waiting too long.
    if transfer.isPaused { return now + limits.idleTimeout }
    guard !transfer.hasHead else { return lastActivity + limits.idleTimeout }
    // Connecting has a limit of its own; the wait for the answer begins with the request.
    let sent = easy.number(CURLINFO_PRETRANSFER_TIME_T)
    return (sent == 0 ? now : max(lastActivity, start + .microseconds(sent))) + limits.idleTimeout
  }

  /// What a result of libcurl means for the reader.
  func outcome(of code: CURLcode) -> Result<Void, TransportError> {
    if let failure { return .failure(failure) }
    if code == CURLE_OK {
      return transfer.hasHead ? .success(()) : .failure(.connectionLost(received: 0, expected: nil))
    }
    // libcurl keeps whole lines, up to a limit of its own.
    if code == CURLE_OUT_OF_MEMORY, !transfer.hasHead {
      return .failure(.headersTooLarge(byteLimit: limits.headerByteCount))
    }
    if code == CURLE_COULDNT_CONNECT, let refusal = connections.refusal { return .failure(refusal) }
    let count = easy.number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    let expected = count >= 0 ? Int(count) : nil
    return .failure(TransportError(code, reason: easy.reason(for: code), transfer: transfer, expected: expected))
  }
}

/// What libcurl calls.
extension CurlHandle {
  static func setCallbacks(of easy: UnsafeMutableRawPointer) {
    halcyon_curl_set_open_socket(easy) { context, _, address in
      guard let context, let address else { return CURL_SOCKET_BAD }
      let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
      return handle.connections.open(address) ?? CURL_SOCKET_BAD
    }
    halcyon_curl_set_close_socket(easy) { context, socket in
      guard let context else { return Foundation.close(socket) }
      return Unmanaged<OpenConnections>.fromOpaque(context).takeUnretainedValue().close(socket)
    }
    halcyon_curl_set_before_request(easy) { context, _, address, _, port in
      guard let context, let address else { return CURL_PREREQFUNC_OK }
      let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
      return handle.maySend(over: OpenConnections.End(address: String(cString: address), port: Int(port)))
        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    halcyon_curl_set_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      CurlHandle.call(context, bytes, size * count) { $0.receiveHeader($1) }
    }
    halcyon_curl_set_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      CurlHandle.call(context, bytes, size * count) { $0.receiveBody($1) }
    }
  }

  private static func call(
    _ context: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ body: (CurlHandle, UnsafeRawBufferPointer) -> Int
  ) -> Int {
    guard let context else { return 0 }
    let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
    return body(handle, UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private func maySend(over end: OpenConnections.End) -> Bool {
    self.end = end
    needsAnotherConnection = !openConnections.mayServe(end, opened: connections.opened)
    return !needsAnotherConnection
  }

  /// Takes one line of the head. Returning another count than was given ends the transfer.
  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    lastActivity = news.time
    if let end, line.starts(with: "HTTP/1".utf8) { openConnections.noteSerial(end) }
    do throws(TransportError) {
      if let head = try headParser.receive(line) {
        transfer.receive(head)
        news.add(transfer)
      }
      return line.count
    } catch {
      failure = error
      return 0
    }
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastActivity = news.time
    news.add(transfer)
    return transfer.offer(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
  }
}
#endif
