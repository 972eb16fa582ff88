/// Why a transfer ended without a whole answer.
@nonexhaustive
public enum TransportError: Error, Hashable {
  /// The name of the host could not be resolved.
  case hostNotFound(String)
  /// No connection to the host was made, for a reason in the words of the transport.
  case connectionFailed(host: String, reason: String)
  /// The host leads to an address that the transport's ``AddressPolicy`` refuses; nothing was sent to it.
  case addressRejected(address: String, host: String, reason: String)
  /// This transport cannot check addresses at the moment of connecting, as an ``AddressPolicy`` other than
  /// ``AddressPolicy/any`` asks of it.
  case addressPolicyUnsupported
  /// No connection was made in time.
  case connectTimedOut(Duration)
  /// No byte came for this long.
  case idleTimedOut(Duration)
  /// The transfer did not end within its total time.
  case totalTimedOut(Duration)
  /// The connection ended before the body did; `expected` is `nil` when the length was not declared.
  case connectionLost(received: Int, expected: Int?)
  /// The two sides did not agree on TLS, or the certificate is not to be trusted.
  case secureConnectionFailed(host: String, reason: String)
  /// The head of the answer is larger than the limit, in bytes.
  case headersTooLarge(byteLimit: Int)
  /// What the server sent is not HTTP.
  case malformedResponse(reason: String)
  /// The body is compressed in a way that could not be undone.
  case badContentEncoding(reason: String)
  /// The transfer was cancelled.
  case cancelled
  /// Anything else, in the words of the transport.
  case failed(reason: String)
}

extension TransportError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .hostNotFound(let host):
      "The host \(host) was not found. Check its name and the connection to the network."
    case .connectionFailed(let host, let reason):
      "No connection to \(host): \(reason). Check that the server runs and can be reached."
    case .addressRejected(let address, let host, let reason):
      """
      The host \(host) leads to \(address), which is refused: \(reason). If it is meant, allow it in the transport's \
      address policy.
      """
    case .addressPolicyUnsupported:
      "This transport cannot enforce an address policy. Use CurlTransport, or AddressPolicy.any for trusted addresses."
    case .connectTimedOut(let limit):
      "No connection within \(limit). Try again, or raise transportLimits.connectTimeout."
    case .idleTimedOut(let limit):
      "No byte arrived for \(limit). Try again, or raise transportLimits.idleTimeout."
    case .totalTimedOut(let limit):
      "The transfer took longer than \(limit). Try again, or raise transportLimits.totalTimeout."
    case .connectionLost(let received, let expected):
      "The connection ended after \(received) of \(expected.map(String.init) ?? "an unknown number of") bytes. Try again."
    case .secureConnectionFailed(let host, let reason):
      "No secure connection to \(host): \(reason). Check the server's certificate."
    case .headersTooLarge(let byteLimit):
      "The head of the answer is over \(byteLimit) bytes. Raise transportLimits.headerByteCount to accept it."
    case .malformedResponse(let reason):
      "The server's answer is not HTTP: \(reason). Check the address and the port."
    case .badContentEncoding(let reason):
      "The compressed answer could not be unpacked: \(reason). Try again, or mend the server."
    case .cancelled:
      "The transfer was cancelled."
    case .failed(let reason):
      "The transfer failed: \(reason)."
    }
  }
}
