public import HalcyonSupport

/// Why a transfer ended without a complete response.
@nonexhaustive
public enum TransportError: Error, Hashable {
  /// The host name could not be resolved.
  case hostNotFound(String)
  /// The connection to the host failed; the reason comes from the transport.
  case connectionFailed(host: String, reason: String)
  /// The host has an IP address that the transport's ``AddressPolicy`` refuses; nothing was sent to it.
  case addressRejected(address: String, host: String, reason: String)
  /// The transport cannot check IP addresses before it connects, as any ``AddressPolicy`` but ``AddressPolicy/any``
  /// requires.
  case addressPolicyUnsupported
  /// The transport cannot sign requests for S3-compatible storage.
  case signatureUnsupported
  /// The proxy could not be reached, or did not pass the request on. No server has responded.
  ///
  /// `status` is that of the proxy's own response, for example 407 when it expects a password; `nil` if there was none.
  case proxyFailed(proxy: String, status: Int?, reason: String)
  /// No connection was established within the timeout.
  case connectTimedOut(Duration)
  /// No byte was received within the timeout.
  case idleTimedOut(Duration)
  /// The transfer did not end within its total timeout.
  case totalTimedOut(Duration)
  /// The connection was closed before the end of the body; `expected` is `nil` if its length was not declared.
  case connectionLost(received: Int, expected: Int?)
  /// The TLS handshake failed, or the certificate is not trusted.
  case secureConnectionFailed(host: String, reason: String)
  /// The host has proved who it is, but with none of the public keys that the transport pins it to; nothing was sent.
  case publicKeyMismatch(host: String)
  /// The response head is over the limit, in bytes.
  case headersTooLarge(byteLimit: Int)
  /// The response is not valid HTTP.
  case malformedResponse(reason: String)
  /// The body could not be decompressed.
  case badContentEncoding(reason: String)
  /// The transfer was cancelled.
  case cancelled
  /// Any other failure; the reason comes from the transport.
  case failed(reason: String)
}

extension TransportError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .hostNotFound(let host):
      "The host \(host.printable) was not found. Check its name and the network connection."
    case .connectionFailed(let host, Self.tooManyOpenFiles):
      "No connection to \(host.printable): \(Self.tooManyOpenFiles). Raise its limit (ulimit -n), or load fewer images at once."
    case .connectionFailed(let host, let reason):
      "No connection to \(host.printable): \(reason.printable). Check that the server is running and reachable."
    case .addressRejected(let address, let host, let reason):
      """
      The host \(host.printable) has the IP address \(address), which is refused: \(reason.printable). If this is intended, allow it in the \
      transport's address policy.
      """
    case .addressPolicyUnsupported:
      "This transport cannot enforce an address policy. Use CurlTransport, or AddressPolicy.any for trusted URLs."
    case .signatureUnsupported:
      "This transport cannot sign requests. Use CurlTransport for S3-compatible storage."
    case .proxyFailed(let proxy, let status, let reason):
      """
      The proxy \(proxy.printable) did not pass the request on: \(reason.printable). \(Self.proxyAdvice(forStatus: status))
      """
    case .connectTimedOut(let limit):
      "No connection within \(limit). Try again, or raise transportLimits.connectTimeout."
    case .idleTimedOut(let limit):
      "No byte was received for \(limit). Try again, or raise transportLimits.idleTimeout."
    case .totalTimedOut(let limit):
      "The transfer took longer than \(limit). Try again, or raise transportLimits.totalTimeout."
    case .connectionLost(let received, let expected):
      "The connection was closed after \(received) of \(expected?.counted("byte") ?? "an unknown number of bytes"). Try again."
    case .secureConnectionFailed(let host, let reason):
      "No secure connection to \(host.printable): \(reason.printable). Check the server's certificate."
    case .publicKeyMismatch(let host):
      """
      The certificate of \(host.printable) has none of the public keys that are pinned for this host. Pin its new key if it \
      was changed on purpose; otherwise the connection may be intercepted.
      """
    case .headersTooLarge(let byteLimit):
      """
      The response head, or a field of it, is over \(byteLimit.counted("byte")). Raise transportLimits.headerByteCount to accept it. \
      CurlTransport accepts no field over 102400 bytes.
      """
    case .malformedResponse(let reason):
      "The response is not valid HTTP: \(reason.printable). Check the URL and its port."
    case .badContentEncoding(let reason):
      "The response could not be decompressed: \(reason.printable). Try again, or fix the server."
    case .cancelled:
      "The transfer was cancelled."
    case .failed(let reason):
      "The transfer failed: \(reason.printable)."
    }
  }

  /// The reason of a connection that failed since there is no free file descriptor.
  package static let tooManyOpenFiles = "the process has too many open files"

  private static func proxyAdvice(forStatus status: Int?) -> String {
    switch status {
    case 407: "Add a user and a password to the proxy's URL."
    case .some: "Ask who runs the proxy, or exempt the host from it (no_proxy)."
    case nil: "Check the proxy's URL (https_proxy, http_proxy, all_proxy) and that it is running."
    }
  }
}
