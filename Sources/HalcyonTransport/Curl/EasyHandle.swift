#if canImport(CHalcyonCurlShim)
@_spi(Programs) import HalcyonSupport
import HalcyonHTTP
import CHalcyonCurlShim
import Foundation

/// An easy handle of libcurl, reused by one transfer after another; used only on the loop's thread.
///
/// Options common to all transfers are set once: creating a handle takes a fifth of the time of a small transfer.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The header fields of the last request, in libcurl's form.
  private var fields: UnsafeMutablePointer<curl_slist>?
  private var headers: [HTTPHeaders.Field]?
  private let decodesContent: Bool
  private let pinnedPublicKeys: [String: Set<String>]
  /// Whether the last request was not a plain GET.
  private var hasContent = false
  /// Whether the `Content-Length` of the last response was ignored.
  private var ignoresLength = false
  /// Whether the last request was signed.
  private var isSigned = false
  /// The proxy of the last request; empty for none.
  private var proxy = ""
  /// Whether libcurl opens a connection for the request.
  private var usesNewConnection = false
  /// How old a known address may be, in seconds.
  private var addressLifetime = KnownAddresses.longestLifetime
  /// The buffer for libcurl's error messages.
  private let message: UnsafeMutablePointer<CChar>

  /// - Parameter connections: Called when a socket is closed; has to outlive all connections of libcurl.
  init(_ configuration: CurlTransport.Configuration, connections: OpenConnections) throws(TransportError) {
    guard let pointer = curl_easy_init() else { throw .failed(reason: "libcurl could not allocate a transfer") }
    self.pointer = pointer
    decodesContent = configuration.decodesContent
    pinnedPublicKeys = configuration.pinnedPublicKeys
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    configure(configuration)
    halcyon_curl_set_context(pointer, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(connections).toOpaque())
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(fields)
    message.deallocate()
  }

  /// Sets the options of a request.
  ///
  /// - Parameters:
  ///   - addressLifetime: How old a known address of the host may be, in seconds.
  ///   - context: Passed to `CurlHandle`'s callbacks; has to live until the transfer has ended.
  func prepare(
    _ request: TransportRequest, proxy: ProxySettings.Proxy?, addressLifetime: Int, context: UnsafeMutableRawPointer
  ) {
    let url = request.url.absoluteString
    message[0] = 0
    setProxy(proxy?.text ?? "")
    if ignoresLength { set(CURLOPT_IGNORE_CONTENT_LENGTH, 0) }
    ignoresLength = false
    set(CURLOPT_URL, url)
    if !pinnedPublicKeys.isEmpty { setPins(of: request.url) }
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(request.limits.connectTimeout))
    // Waits for multiplexing: concurrent transfers to one server share an HTTP/2 connection that is being opened,
    // instead of each opening its own.
    set(CURLOPT_PIPEWAIT, url.prefix(6).lowercased() == "https:" ? 1 : 0)
    setContent(request.content)
    // libcurl sends a request once more if a reused connection is closed before the response.
    useNewConnection(request.usesNewConnection || request.content?.method.isIdempotent == false)
    setAddressLifetime(addressLifetime)
    setSignature(request.signature)
    setFields(request.headers.fields, hasContent: request.content != nil, request.signature)
    halcyon_curl_set_context(pointer, CURLOPT_HEADERDATA, context)
    halcyon_curl_set_context(pointer, CURLOPT_WRITEDATA, context)
    halcyon_curl_set_context(pointer, CURLOPT_PRIVATE, context)
    halcyon_curl_set_context(pointer, CURLOPT_OPENSOCKETDATA, context)
    halcyon_curl_set_context(pointer, CURLOPT_PREREQDATA, context)
  }

  /// Ignores the `Content-Length` of the response.
  func ignoreLength() {
    message[0] = 0
    set(CURLOPT_IGNORE_CONTENT_LENGTH, 1)
    ignoresLength = true
  }

  /// Whether libcurl opens a connection for the request, and reuses none.
  func useNewConnection(_ isNew: Bool) {
    guard isNew != usesNewConnection else { return }
    usesNewConnection = isNew
    set(CURLOPT_FRESH_CONNECT, isNew ? 1 : 0)
  }

  /// Has the name of the host resolved, if a connection is opened.
  func useNoKnownAddresses() { setAddressLifetime(0) }

  private func setAddressLifetime(_ seconds: Int) {
    guard seconds != addressLifetime else { return }
    addressLifetime = seconds
    set(CURLOPT_DNS_CACHE_TIMEOUT, seconds)
  }

  /// libcurl's error message.
  func reason(for code: CURLcode) -> String {
    String(cString: message[0] == 0 ? curl_easy_strerror(code) : UnsafePointer(message))
  }

  /// The status of a proxy's reply to CONNECT; `nil` if there was none over the connection of this request.
  var connectStatus: Int? {
    var status: Int = 0
    halcyon_curl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &status)
    return status == 0 ? nil : status
  }

  func number(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    halcyon_curl_get_number(pointer, info, &value)
    return Int64(value)
  }

  /// The timings of the transfer so far.
  var timings: TransportTimings {
    var version: Int = 0
    var connections: Int = 0
    halcyon_curl_get_long(pointer, CURLINFO_HTTP_VERSION, &version)
    halcyon_curl_get_long(pointer, CURLINFO_NUM_CONNECTS, &connections)
    let isReused = connections == 0
    return TransportTimings(
      nameLookup: isReused ? .zero : duration(CURLINFO_NAMELOOKUP_TIME_T),
      connect: isReused ? .zero : duration(CURLINFO_CONNECT_TIME_T),
      secureConnect: isReused ? .zero : duration(CURLINFO_APPCONNECT_TIME_T),
      firstByte: duration(CURLINFO_STARTTRANSFER_TIME_T), total: duration(CURLINFO_TOTAL_TIME_T),
      httpVersion: Self.name(ofVersion: version), reusedConnection: isReused,
      receivedByteCount: Int(number(CURLINFO_SIZE_DOWNLOAD_T)))
  }

  private static func name(ofVersion version: Int) -> String {
    switch version {
    case CURL_HTTP_VERSION_1_0: "1.0"
    case CURL_HTTP_VERSION_1_1: "1.1"
    case CURL_HTTP_VERSION_2_0: "2"
    case CURL_HTTP_VERSION_3: "3"
    default: "unknown"
    }
  }

  private func duration(_ info: CURLINFO) -> Duration { .microseconds(number(info)) }

  private func configure(_ configuration: CurlTransport.Configuration) {
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_BUFFERSIZE, 64 << 10)
    halcyon_curl_leave_name_lookups(pointer)
    // A proxy's reply to CONNECT is not the server's response (RFC 9110, 9.3.6).
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // libcurl does not read the environment: ``ProxySettings`` does.
    set(CURLOPT_PROXY, proxy)
    set(CURLOPT_NOPROXY, "")
    let authorities = CertificateAuthorities(configuration)
    if let file = authorities.file { set(CURLOPT_CAINFO, file) }
    if let folder = authorities.folder { set(CURLOPT_CAPATH, folder) }
    setClientCertificate(configuration)
    halcyon_curl_set_context(pointer, CURLOPT_ERRORBUFFER, message)
    CurlHandle.setCallbacks(of: pointer)
  }

  private func setClientCertificate(_ configuration: CurlTransport.Configuration) {
    guard let file = configuration.clientCertificateFile else { return }
    set(CURLOPT_SSLCERT, file)
    set(CURLOPT_SSLKEY, configuration.clientKeyFile ?? file)
    // Without a password OpenSSL would ask for that of an encrypted key at the terminal.
    set(CURLOPT_KEYPASSWD, configuration.clientKeyPassword ?? "")
  }

  /// Sets the keys that the host may have. libcurl reuses no connection that was checked against others.
  private func setPins(of url: URL) {
    let host = url.host(percentEncoded: false)?.lowercased() ?? ""
    let pins = pinnedPublicKeys[host].map { $0.sorted().map { "sha256//\($0)" }.joined(separator: ";") }
    halcyon_curl_set_text(pointer, CURLOPT_PINNEDPUBLICKEY, pins)
  }

  private func setProxy(_ text: String) {
    guard text != proxy else { return }
    proxy = text
    set(CURLOPT_PROXY, text)
  }

  /// Sets the method and the body, which libcurl copies.
  private func setContent(_ content: RequestContent?) {
    guard content != nil || hasContent else { return }
    hasContent = content != nil
    // Undoes the options below.
    set(CURLOPT_HTTPGET, 1)
    halcyon_curl_set_text(pointer, CURLOPT_CUSTOMREQUEST, content?.method.name)
    guard let content else { return }
    if content.method.name == "HEAD" { return set(CURLOPT_NOBODY, 1) }
    (content.body ?? Data()).withUnsafeBytes { bytes in
      set(CURLOPT_POSTFIELDSIZE, bytes.count)
      halcyon_curl_copy_body(pointer, bytes.baseAddress)
    }
  }

  /// Sets the signature that libcurl makes, or removes the last request's.
  private func setSignature(_ signature: RequestSignature?) {
    guard signature != nil || isSigned else { return }
    isSigned = signature != nil
    let scope = signature.map { "aws:amz:\($0.region):\($0.service)" }
    halcyon_curl_set_text(pointer, CURLOPT_AWS_SIGV4, scope)
    halcyon_curl_set_text(pointer, CURLOPT_USERNAME, signature?.key.id)
    halcyon_curl_set_text(pointer, CURLOPT_PASSWORD, signature?.key.secret)
    // libcurl's default, which setting a signature has replaced.
    if signature == nil { halcyon_curl_authenticate_basic(pointer) }
  }

  /// Sets the header fields, unless they equal the last request's, as is usual within one pipeline.
  private func setFields(_ headers: [HTTPHeaders.Field], hasContent: Bool, _ signature: RequestSignature?) {
    let isPlain = !hasContent && signature == nil
    if isPlain, let last = self.headers, headers.count == last.count,
      zip(headers, last).allSatisfy({ $0.isSent(as: $1) })
    {
      return
    }
    self.headers = isPlain ? headers : nil
    let old = fields
    // As an option of libcurl the field is sent where servers and proxies expect it, but it is not signed.
    let agent =
      signature == nil ? nil : headers.first { $0.name.isEqualIgnoringCase(to: "User-Agent") && $0.isSendable }
    halcyon_curl_set_text(pointer, CURLOPT_USERAGENT, agent?.value)
    // A plain field: with its option for this, libcurl would decompress.
    let acceptsEncoding = headers.contains { $0.name.isEqualIgnoringCase(to: "Accept-Encoding") }
    // Not with a signature, which covers all fields: proxies change this one.
    fields =
      decodesContent && !acceptsEncoding && signature == nil
      ? curl_slist_append(nil, "Accept-Encoding: \(DecodedBody.acceptedEncodings)") : nil
    // Fields that libcurl would add to a body: `Expect` would delay it, and its `Content-Type` is wrong. libcurl signs
    // fields that are left out in this way, although it does not send them: servers refuse that.
    if hasContent {
      if signature == nil { fields = curl_slist_append(fields, "Expect:") }
      let hasType = headers.contains { $0.name.isEqualIgnoringCase(to: "Content-Type") }
      let type = signature == nil ? "Content-Type:" : "Content-Type: application/octet-stream"
      if !hasType { fields = curl_slist_append(fields, type) }
    }
    for field in headers + (signature?.fields(hasContent: hasContent, besides: headers) ?? [])
    where field.isSendable && (agent == nil || !field.name.isEqualIgnoringCase(to: "User-Agent")) {
      fields = curl_slist_append(fields, field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    halcyon_curl_set_list(pointer, CURLOPT_HTTPHEADER, fields)
    curl_slist_free_all(old)
  }

  /// A timeout for libcurl, which reads 0 as its default.
  private static func milliseconds(_ timeout: Duration) -> Int {
    min(Int(Int32.max), max(1, Int(timeout.clamped.inSeconds * 1000)))
  }

  private func set(_ option: CURLoption, _ value: Int) { halcyon_curl_set_long(pointer, option, value) }

  private func set(_ option: CURLoption, _ value: String) { halcyon_curl_set_text(pointer, option, value) }
}

extension RequestSignature {
  /// The hash of an empty body.
  private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// The fields that are signed in addition to the request's: the token, and the hash of the body, which S3 requires
  /// and older versions of libcurl leave out. Bodies are protected by TLS only.
  fileprivate func fields(hasContent: Bool, besides headers: [HTTPHeaders.Field]) -> [HTTPHeaders.Field] {
    var fields = key.sessionToken.map { [HTTPHeaders.Field(name: "X-Amz-Security-Token", value: $0)] } ?? []
    if service == "s3", !headers.contains(where: { $0.name.isEqualIgnoringCase(to: "X-Amz-Content-Sha256") }) {
      let hash = hasContent ? "UNSIGNED-PAYLOAD" : Self.emptyHash
      fields.append(HTTPHeaders.Field(name: "X-Amz-Content-Sha256", value: hash))
    }
    return fields
  }
}

extension HTTPHeaders.Field {
  /// Whether both fields have the same bytes; equal strings may differ in theirs.
  fileprivate func isSent(as other: HTTPHeaders.Field) -> Bool {
    name.hasSameBytes(as: other.name) && value.hasSameBytes(as: other.value)
  }
}
#endif
