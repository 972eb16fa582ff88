#if canImport(CHalcyonCurlShim)
public import HalcyonHTTP
public import Foundation

/// A transport on libcurl with a thread of its own: HTTP/1.1, and HTTP/2 where a TLS server offers it.
///
/// Connections are reused; a request over one that turns out to be dead is sent once more over another. Cookies are
/// neither stored nor sent. May be shared by any number of pipelines; its thread ends when the transport and the last of
/// its response bodies are released.
///
/// Nothing that a proxy says itself passes for the response of a server: it is a
/// ``TransportError/proxyFailed(proxy:status:reason:)``.
///
/// ```swift
/// let transport = CurlTransport(configuration: .init(addressPolicy: .publicInternetOnly))
/// let pipeline = ImagePipeline { $0.transport = transport }
/// ```
public final class CurlTransport: Transport {
  /// The settings of a transport.
  public struct Configuration: Hashable, Sendable {
    /// A PEM file of certificate authorities to trust instead of the system's.
    ///
    /// Default: `nil`, those of the variables `SSL_CERT_FILE` and `SSL_CERT_DIR` of the environment, as for OpenSSL's own
    /// programs, or the system's.
    public var certificateAuthorityFile: String?
    /// The IP addresses and ports that may be connected to.
    ///
    /// Default: `.any`. Checked at every connection; connections are not shared with other transports. With any other
    /// policy no proxy of the environment is used, since the connections that a proxy makes cannot be checked, and with
    /// ``proxy`` each transfer fails.
    public var addressPolicy: AddressPolicy
    /// Whether compression is offered to servers, and compressed bodies are decompressed.
    ///
    /// Default: `true`, gzip and deflate. A body is decompressed as far as it is read, by its reader. With `false`, as a
    /// proxy needs it, bodies are passed on as sent, and `Content-Encoding` names their compression.
    public var decodesContent: Bool
    /// A PEM file with the certificate of this program and its chain, shown to every server that asks for one.
    ///
    /// Default: `nil`. A file that cannot be read is a ``TransportError/secureConnectionFailed(host:reason:)``.
    public var clientCertificateFile: String?
    /// A PEM file with the private key of the certificate.
    ///
    /// Default: `nil`, the key is in ``clientCertificateFile``.
    public var clientKeyFile: String?
    /// The password of the private key. Default: `nil`, it is not encrypted.
    public var clientKeyPassword: String?
    /// The public keys that a host may have, as Base64 of the SHA-256 hash of a key, by lowercase host name.
    ///
    /// A host with another key is a ``TransportError/publicKeyMismatch(host:)``; its certificate is verified as well. Hosts
    /// that are not listed may have any key. Default: empty. The hash of a key:
    ///
    ///     openssl x509 -in certificate.pem -pubkey -noout | openssl pkey -pubin -outform DER |
    ///       openssl sha256 -binary | base64
    public var pinnedPublicKeys: [String: Set<String>]
    /// The proxy for all hosts but those of `no_proxy` in the environment, such as `http://user:password@proxy:3128`, with
    /// the user and password percent-encoded. Schemes: `http`, `https`, `socks4`, `socks4a`, `socks5` and `socks5h`.
    ///
    /// Default: `nil`, those of the environment, as libcurl reads it: `https_proxy`, `http_proxy` and `all_proxy`. The user
    /// and password are in no error and no description.
    public var proxy: URL?

    /// Creates a configuration.
    public init(
      certificateAuthorityFile: String? = nil, addressPolicy: AddressPolicy = .any, decodesContent: Bool = true,
      clientCertificateFile: String? = nil, clientKeyFile: String? = nil, clientKeyPassword: String? = nil,
      pinnedPublicKeys: [String: Set<String>] = [:], proxy: URL? = nil
    ) {
      self.certificateAuthorityFile = certificateAuthorityFile
      self.addressPolicy = addressPolicy
      self.decodesContent = decodesContent
      self.clientCertificateFile = clientCertificateFile
      self.clientKeyFile = clientKeyFile
      self.clientKeyPassword = clientKeyPassword
      self.pinnedPublicKeys = pinnedPublicKeys
      self.proxy = proxy
    }
  }

  /// The IP addresses and ports that may be connected to.
  public let addressPolicy: AddressPolicy

  let thread: CurlThread

  /// Creates a transport and starts its thread.
  public convenience init(configuration: Configuration = Configuration()) {
    self.init(configuration: configuration, leastFirstByteLimit: .seconds(1))
  }

  init(
    configuration: Configuration, leastFirstByteLimit: Duration = .seconds(1),
    network: NetworkWatch = NetworkWatch(), proxies: ProxySettings? = nil
  ) {
    addressPolicy = configuration.addressPolicy
    thread = CurlThread(
      configuration, leastFirstByteLimit: leastFirstByteLimit, network: network,
      proxies: proxies ?? ProxySettings(configuration.proxy))
  }

  /// Sends a request and returns once the head of the response has been received; see `Transport`.
  public func response(to request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    let transfer = prepare(request) { _ in }
    transfer.begin()
    return try await transfer.response()
  }
}

extension CurlTransport.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The address policy; nothing of certificates, keys, pins and the proxy.
  public var description: String { "CurlTransport.Configuration(\(addressPolicy))" }
  /// Same as ``description``.
  public var debugDescription: String { description }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CurlTransport: PreparingTransport {
  package func prepare(
    _ request: TransportRequest, onEnd: @escaping @Sendable (TransportHead?) -> Void
  ) -> any PreparedTransfer {
    CurlTransfer(transfer: Transfer(request: request, onEnd: onEnd), thread: thread)
  }
}

/// The task's side of a transfer; cancels the transfer when released.
private final class CurlTransfer: PreparedTransfer, BodySource {
  private let transfer: Transfer
  private let thread: CurlThread

  init(transfer: Transfer, thread: CurlThread) {
    self.transfer = transfer
    self.thread = thread
  }

  deinit { cancel() }

  var timings: TransportTimings? { transfer.timings }

  func begin() { thread.loop.post(.start(transfer)) }

  func cancel() {
    if transfer.end(.failure(.cancelled)) { thread.loop.post(.cancel(transfer)) }
  }

  func response() async throws -> TransportResponse {
    try await withTaskCancellationHandler {
      let head = try await transfer.head()
      return TransportResponse(status: head.status, headers: head.headers, body: TransportBody(body(head.headers)))
    } onCancel: {
      cancel()
    }
  }

  private func body(_ headers: HTTPHeaders) -> any BodySource {
    guard thread.loop.decodesContent, let encoding = headers["Content-Encoding"] else { return self }
    // The last coding was applied last.
    let length = headers["Transfer-Encoding"] == nil ? headers.contentLength : nil
    return DecodedBody.codings(in: encoding).reversed().reduce(self) {
      DecodedBody($0, encoding: $1, declaredByteCount: length)
    }
  }

  func next() async throws -> Data? {
    // Usually bytes are buffered already (small bodies arrive with their heads), so no cancellation handler is needed.
    if !Task.isCancelled, let piece = try transfer.takePiece() { return read(piece) }
    return try await withTaskCancellationHandler {
      read(try await transfer.nextPiece())
    } onCancel: {
      cancel()
    }
  }

  private func read(_ piece: Transfer.Piece) -> Data? {
    if piece.wasPaused { thread.loop.post(.unpause(transfer)) }
    return piece.bytes
  }
}
#endif
