#if canImport(CurlShim)
import CurlShim
import Foundation
import HalcyonCore

/// One easy handle of libcurl; used only on the thread of the loop.
final class CurlHandle {
  let transfer: Transfer
  private let news: TransferNews
  private let easy: UnsafeMutableRawPointer
  private var fields: UnsafeMutablePointer<curl_slist>?
  private var headParser: ResponseHeadParser
  private let start = ContinuousClock.now
  private var lastActivity = ContinuousClock.now
  private var failure: TransportError?
  private var connections: ConnectionGuard
  /// Where libcurl writes what went wrong.
  private let message: UnsafeMutablePointer<CChar>

  /// Sets up a transfer.
  init(
    transfer: Transfer, configuration: CurlTransport.Configuration, news: TransferNews
  ) throws(TransportError) {
    guard let easy = curl_easy_init() else { throw .failed(reason: "libcurl has no memory for a transfer") }
    self.transfer = transfer
    self.easy = easy
    self.news = news
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    headParser = ResponseHeadParser(byteLimit: transfer.request.limits.headerByteCount)
    connections = ConnectionGuard(
      policy: configuration.addressPolicy, host: transfer.request.url.host(percentEncoded: false) ?? "")
    configure(configuration)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(fields)
    message.deallocate()
  }

  func add(to multi: UnsafeMutableRawPointer) throws(TransportError) {
    let code = curl_multi_add_handle(multi, easy)
    guard code == CURLM_OK else { throw .failed(reason: String(cString: curl_multi_strerror(code))) }
  }

  /// Ends the transfer; an unfinished one loses its connection.
  func close(in multi: UnsafeMutableRawPointer, _ outcome: Result<Void, TransportError>) {
    let timings = timings
    curl_multi_remove_handle(multi, easy)
    transfer.end(outcome, timings: timings)
  }

  /// The handle that `easy` belongs to.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlHandle? {
    var context: UnsafeMutableRawPointer?
    halcyon_curl_get_context(easy, &context)
    return context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Lets the server go on sending.
  func unpause() {
    lastActivity = .now
    curl_easy_pause(easy, CURLPAUSE_CONT)
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
    let sent = number(CURLINFO_PRETRANSFER_TIME_T)
    return (sent == 0 ? now : max(lastActivity, start + .microseconds(sent))) + limits.idleTimeout
  }

  // Called by libcurl.

  /// Takes one line of the head. Returning another count than was given ends the transfer.
  func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    lastActivity = .now
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

  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastActivity = .now
    news.add(transfer)
    return transfer.offer(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
  }

  /// What a result of libcurl means for the reader.
  func outcome(of code: CURLcode) -> Result<Void, TransportError> {
    if let failure { return .failure(failure) }
    // libcurl keeps whole lines, up to a limit of its own.
    if code == CURLE_OUT_OF_MEMORY, !transfer.hasHead {
      return .failure(.headersTooLarge(byteLimit: limits.headerByteCount))
    }
    if code == CURLE_COULDNT_CONNECT, let refusal = connections.refusal { return .failure(refusal) }
    let reason = String(cString: message[0] == 0 ? curl_easy_strerror(code) : UnsafePointer(message))
    guard let error = TransportError(code, reason: reason, transfer: transfer, expected: expectedByteCount) else {
      return transfer.hasHead ? .success(()) : .failure(.connectionLost(received: 0, expected: nil))
    }
    return .failure(error)
  }

  private var expectedByteCount: Int? {
    let count = number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    return count >= 0 ? Int(count) : nil
  }

  private var timings: TransportTimings {
    var version: Int = 0
    var connections: Int = 0
    halcyon_curl_get_long(easy, CURLINFO_HTTP_VERSION, &version)
    halcyon_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
    let isReused = connections == 0
    return TransportTimings(
      nameLookup: isReused ? .zero : duration(CURLINFO_NAMELOOKUP_TIME_T),
      connect: isReused ? .zero : duration(CURLINFO_CONNECT_TIME_T),
      secureConnect: isReused ? .zero : duration(CURLINFO_APPCONNECT_TIME_T),
      firstByte: duration(CURLINFO_STARTTRANSFER_TIME_T), total: duration(CURLINFO_TOTAL_TIME_T),
      httpVersion: Self.versions[version] ?? "unknown", reusedConnection: isReused,
      receivedByteCount: Int(number(CURLINFO_SIZE_DOWNLOAD_T)))
  }

  private static let versions = [
    CURL_HTTP_VERSION_1_0: "1.0", CURL_HTTP_VERSION_1_1: "1.1", CURL_HTTP_VERSION_2_0: "2", CURL_HTTP_VERSION_3: "3",
  ]

  private func duration(_ info: CURLINFO) -> Duration { .microseconds(number(info)) }

  private func number(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    halcyon_curl_get_number(easy, info, &value)
    return Int64(value)
  }

  private func configure(_ configuration: CurlTransport.Configuration) {
    let limits = transfer.request.limits
    set(CURLOPT_URL, transfer.request.url.absoluteString)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(limits.connectTimeout.inSeconds * 1000)))
    set(CURLOPT_BUFFERSIZE, 64 << 10)
    // Every encoding that libcurl can undo.
    if configuration.decodesContent { set(CURLOPT_ACCEPT_ENCODING, "") }
    // Transfers to one server share a connection of HTTP/2 instead of each making its own while there is none.
    set(CURLOPT_PIPEWAIT, transfer.request.url.scheme?.lowercased() == "https" ? 1 : 0)
    halcyon_curl_leave_name_lookups(easy)
    if configuration.addressPolicy != .any { set(CURLOPT_PROXY, "") }
    if let file = configuration.certificateAuthorityFile { set(CURLOPT_CAINFO, file) }
    for field in transfer.request.headers.fields where field.isSendable {
      fields = curl_slist_append(fields, field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    halcyon_curl_set_list(easy, CURLOPT_HTTPHEADER, fields)
    // The handle outlives its use by libcurl: it is removed in `close`, before it can be freed.
    let context = Unmanaged.passUnretained(self).toOpaque()
    halcyon_curl_set_context(easy, CURLOPT_HEADERDATA, context)
    halcyon_curl_set_context(easy, CURLOPT_WRITEDATA, context)
    halcyon_curl_set_context(easy, CURLOPT_ERRORBUFFER, message)
    halcyon_curl_set_context(easy, CURLOPT_PRIVATE, context)
    halcyon_curl_set_context(easy, CURLOPT_OPENSOCKETDATA, context)
    halcyon_curl_set_open_socket(easy) { context, _, address in
      guard let context, let address else { return CURL_SOCKET_BAD }
      let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
      return handle.connections.open(address) ?? CURL_SOCKET_BAD
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

  private func set(_ option: CURLoption, _ value: Int) { halcyon_curl_set_long(easy, option, value) }

  private func set(_ option: CURLoption, _ value: String) { halcyon_curl_set_text(easy, option, value) }
}

extension HTTPHeaders.Field {
  /// Whether the field can be sent as it is: line breaks in it would become fields of their own.
  fileprivate var isSendable: Bool {
    !name.isEmpty && !(name + value).utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 } && !name.utf8.contains(58)
  }
}
#endif
