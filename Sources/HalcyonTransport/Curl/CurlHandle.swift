#if canImport(CHalcyonCurlShim)
import HalcyonHTTP
import CHalcyonCurlShim
import Foundation

/// A transfer in flight and its easy handle; used only on the loop's thread.
final class CurlHandle {
  let transfer: Transfer
  let easy: EasyHandle
  private let received: PendingWakeups
  private var headParser: ResponseHeadParser
  let start: ContinuousClock.Instant
  /// When the request was given to libcurl last.
  private(set) var lastStart: ContinuousClock.Instant
  /// When the request was sent; `nil` once the first byte of the response has arrived.
  private(set) var sent: ContinuousClock.Instant?
  private(set) var lastActivity: ContinuousClock.Instant
  private var failure: TransportError?
  private var connections: ConnectionGuard
  let proxy: ProxySettings.Proxy?
  /// Whether libcurl is sending the request: header lines before come from a proxy, not from the server.
  private var isSending = false
  let openConnections: OpenConnections
  /// The connection over which the request is sent, once it is known.
  private(set) var connection: OpenConnection?
  /// Whether the connection had carried a response before.
  private(set) var isReused = false
  /// Whether the server has acknowledged the request, so that it need only be waited for.
  private(set) var isAcknowledged = false
  /// When the connection was first seen to be silent.
  private(set) var firstSilence: ContinuousClock.Instant?
  private var restartCount = 0
  /// Whether the response has a `Content-Length` that is not a number.
  private var hasInvalidLength = false
  private var ignoresInvalidLength = false
  /// The length of a body that libcurl would read up to the end of the connection.
  private var bodyByteCount: Int?
  /// Whether all bytes of such a body have been received.
  private var isBodyComplete = false
  /// Whether libcurl chose a connection that must not be reused, so that the handle has to be added again.
  private(set) var needsAnotherConnection = false
  /// Whether the server has responded that it does not serve the host over this connection (RFC 9110, 15.5.20).
  private(set) var isMisdirected = false

  init(
    transfer: Transfer, easy: EasyHandle, addressPolicy: AddressPolicy, proxy: ProxySettings.Proxy?,
    addressLifetime: Int = KnownAddresses.longestLifetime, received: PendingWakeups, openConnections: OpenConnections
  ) {
    self.transfer = transfer
    self.easy = easy
    self.proxy = proxy
    self.received = received
    self.openConnections = openConnections
    (start, lastStart, lastActivity) = (received.time, received.time, received.time)
    headParser = ResponseHeadParser(byteLimit: transfer.request.limits.headerByteCount)
    connections = ConnectionGuard(policy: addressPolicy, url: transfer.request.url)
    // Unretained is safe: `close` removes the easy handle from libcurl before this object can be freed.
    easy.prepare(
      transfer.request, proxy: proxy, addressLifetime: addressLifetime,
      context: Unmanaged.passUnretained(self).toOpaque())
  }

  func add(to multi: UnsafeMutableRawPointer) throws(TransportError) {
    needsAnotherConnection = false
    let code = curl_multi_add_handle(multi, easy.pointer)
    guard code == CURLM_OK else { throw .failed(reason: String(cString: curl_multi_strerror(code))) }
  }

  /// Ends the transfer; the connection of an unfinished one is closed, unless it is multiplexed.
  func close(in multi: UnsafeMutableRawPointer, _ outcome: Result<Void, TransportError>) {
    let timings = easy.timings
    curl_multi_remove_handle(multi, easy.pointer)
    transfer.end(outcome, timings: timings)
  }

  /// Whether the request may be sent once more, over another connection: it went over a reused one and nothing came
  /// back, which is no failure of the server. Requests that are not idempotent are never sent over a reused connection.
  var maySendAgain: Bool { isReused && !transfer.hasHead && restartCount < Self.restartLimit }

  /// Other transfers in flight may hold more dead connections to the same server.
  private static let restartLimit = 3

  /// Sends the request once more.
  func sendAgain(in multi: UnsafeMutableRawPointer) throws(TransportError) {
    restartCount += 1
    (failure, sent, connection, isReused, isSending) = (nil, nil, nil, false, false)
    (lastStart, lastActivity) = (received.time, received.time)
    easy.useNoKnownAddresses()
    headParser = ResponseHeadParser(byteLimit: limits.headerByteCount, ignoresInvalidLength: ignoresInvalidLength)
    try restart(in: multi)
  }

  /// Whether the bytes received instead of a response may belong to the previous response on this connection: bytes
  /// after a 304, a 204 or the declared length, which arrived after this request was sent.
  func mayFollowOtherBytes(_ code: CURLcode) -> Bool {
    guard maySendAgain, let connection, connection.isSerial else { return false }
    switch failure {
    case .malformedResponse, .headersTooLarge: return true
    // libcurl 8 itself refuses codings of the transfer.
    case nil: return code.isNoResponse || code == CURLE_BAD_CONTENT_ENCODING && !transfer.hasHead
    default: return false
    }
  }

  /// Whether the request may be sent again for a response whose length is to be ignored. libcurl has to know this before.
  func mayIgnoreLength(after code: CURLcode) -> Bool {
    guard !ignoresInvalidLength, !transfer.hasHead, transfer.request.content == nil else { return false }
    return hasInvalidLength
      || code == CURLE_WEIRD_SERVER_REPLY && easy.reason(for: code).contains("Invalid Content-Length")
  }

  /// Restarts the transfer over a new connection, since libcurl chose one that must not be reused; nothing has been sent.
  func useNewConnection(in multi: UnsafeMutableRawPointer) throws(TransportError) {
    easy.useNewConnection(true)
    try restart(in: multi)
  }

  /// Sends the request again; then the body of the response ends with its connection, as browsers read it.
  func ignoreLength(in multi: UnsafeMutableRawPointer) throws(TransportError) {
    ignoresInvalidLength = true
    easy.ignoreLength()
    try sendAgain(in: multi)
  }

  private func restart(in multi: UnsafeMutableRawPointer) throws(TransportError) {
    curl_multi_remove_handle(multi, easy.pointer)
    try add(to: multi)
  }

  /// The handle that was set as the context of `easy`.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlHandle? {
    var context: UnsafeMutableRawPointer?
    halcyon_curl_get_context(easy, &context)
    return context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Resumes receiving after a pause.
  func unpause() {
    lastActivity = received.time
    curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  var limits: TransportLimits { transfer.request.limits }

  /// The outcome of the transfer for a result code of libcurl.
  func outcome(of code: CURLcode) -> Result<Void, TransportError> {
    if isBodyComplete { return .success(()) }
    if let failure { return .failure(failure) }
    if code == CURLE_OK {
      return transfer.hasHead ? .success(()) : .failure(.connectionLost(received: 0, expected: nil))
    }
    // libcurl buffers whole header lines, up to a limit of its own (CURL_MAX_HTTP_HEADER).
    if code.isTooLarge, !transfer.hasHead {
      let reason = easy.reason(for: code)
      // libcurl limits the number of fields, too.
      if reason.hasPrefix("Too many") { return .failure(.malformedResponse(reason: reason)) }
      return .failure(.headersTooLarge(byteLimit: min(limits.headerByteCount, 100 << 10)))
    }
    if code == CURLE_COULDNT_CONNECT, let refusal = connections.refusal { return .failure(refusal) }
    if let error = proxyError(reason: easy.reason(for: code)) { return .failure(error) }
    let count = easy.number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    let expected = count >= 0 ? Int(count) : nil
    return .failure(
      TransportError(code, reason: easy.reason(for: code), transfer: transfer, expected: expected, proxy: proxy))
  }

  /// The error of a request that its proxy has not passed on, or not responded to, unless it has connected to the server.
  func proxyError(reason: String) -> TransportError? {
    guard let proxy, !isSending || proxy.readsRequest && !transfer.hasHead else { return nil }
    let status = easy.connectStatus
    guard status.map({ !(200..<300).contains($0) }) ?? true else { return nil }
    // Some of libcurl's messages contain the whole URL.
    let reason =
      status.map { "it responded with HTTP \($0) to CONNECT" } ?? reason.replacing(proxy.text, with: proxy.name)
    return .proxyFailed(proxy: proxy.name, status: status, reason: reason)
  }
}

/// The callbacks of libcurl.
extension CurlHandle {
  static func setCallbacks(of easy: UnsafeMutableRawPointer) {
    halcyon_curl_set_open_socket(easy) { context, _, address in
      guard let context, let address else { return CURL_SOCKET_BAD }
      let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
      // libcurl may make a new connection by itself, when it finds that the one it had reused is closed.
      (handle.isSending, handle.sent) = (false, nil)
      return handle.connections.open(address) ?? CURL_SOCKET_BAD
    }
    halcyon_curl_set_close_socket(easy) { context, socket in
      guard let context else { return Foundation.close(socket) }
      return Unmanaged<OpenConnections>.fromOpaque(context).takeUnretainedValue().close(socket)
    }
    halcyon_curl_set_before_request(easy) { context, server, address, serverPort, port in
      guard let context, let server, let address else { return CURL_PREREQFUNC_OK }
      let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
      let local = OpenConnection.Endpoint(address: String(cString: address), port: Int(port))
      return handle.maySend(over: local, to: .init(address: String(cString: server), port: Int(serverPort)))
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

  private func maySend(over endpoint: OpenConnection.Endpoint, to server: OpenConnection.Endpoint) -> Bool {
    var (connection, maySend) = openConnections.connection(at: endpoint, to: server, opened: connections.opened)
    if let silent = connection, silent.isSilent(for: limits.idleTimeout, at: received.time) {
      openConnections.close(silent)
      (connection, maySend) = (nil, false)
    }
    self.connection = connection
    (isSending, isAcknowledged, firstSilence) = (maySend, false, nil)
    isReused = connection?.lastActivity != nil
    sent = maySend ? received.time : nil
    if maySend { connection?.send(at: received.time) }
    if let silenceDeadline { openConnections.expectByte(before: silenceDeadline) }
    if let deadline = deadline(of: connection) { openConnections.expectByte(before: deadline) }
    needsAnotherConnection = !maySend
    return maySend
  }

  /// Receives one header line; returning any count other than `line.count` makes libcurl end the transfer.
  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    guard isSending else { return line.count }
    receiveByte()
    if line.starts(with: "HTTP/1".utf8) { connection?.markSerial() }
    do {
      guard let head = try headParser.receive(line) else { return line.count }
      if let proxy, proxy.readsRequest, let error = TransportError(head, of: proxy) { throw error }
      transfer.receive(head)
      isMisdirected = head.status == 421
      received.add(transfer)
      bodyByteCount = head.identityByteCount
      isBodyComplete = bodyByteCount == 0
      return isBodyComplete ? 0 : line.count
    } catch {
      failure = error as? TransportError ?? .malformedResponse(reason: "the Content-Length is not a number")
      hasInvalidLength = error is ResponseHeadParser.InvalidLength
      return 0
    }
  }

  /// Whether the connection is given up, see ``OpenConnections``.
  func isConnectionDead(at now: ContinuousClock.Instant) -> Bool {
    isConnectionSilent(at: now) || isUnacknowledged(at: now)
  }

  /// Whether the request has not arrived.
  ///
  /// Looks twice: if this thread or the whole system did not run for a while, the request has only just been sent.
  private func isUnacknowledged(at now: ContinuousClock.Instant) -> Bool {
    guard let silenceDeadline, now >= silenceDeadline, let connection else { return false }
    isAcknowledged = connection.isAcknowledged
    guard !isAcknowledged else { return false }
    defer { firstSilence = firstSilence ?? now }
    return firstSilence != nil
  }

  private func receiveByte() {
    lastActivity = received.time
    connection?.receive(at: lastActivity)
    guard let sent else { return }
    if let server = connection?.server {
      openConnections.record(firstByteTime: sent.duration(to: lastActivity), of: server)
    }
    self.sent = nil
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    receiveByte()
    received.add(transfer)
    guard let bodyByteCount else { return transfer.offer(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE) }
    let rest = bytes.prefix(bodyByteCount - transfer.received)
    guard transfer.offer(UnsafeRawBufferPointer(rebasing: rest)) else { return Int(CURL_WRITEFUNC_PAUSE) }
    isBodyComplete = transfer.received >= bodyByteCount
    return isBodyComplete ? 0 : bytes.count
  }
}

extension Transfer.Head {
  /// The length of a body with `Transfer-Encoding: identity`, a coding of RFC 2616 that means none, or with an empty field.
  /// libcurl ignores `Content-Length` next to it, and so would wait for the end of the connection.
  fileprivate var identityByteCount: Int? {
    guard let encoding = headers["Transfer-Encoding"] else { return nil }
    return ResponseHeadParser.transferCodings(encoding).contains("chunked") ? nil : headers.contentLength
  }
}
#endif
