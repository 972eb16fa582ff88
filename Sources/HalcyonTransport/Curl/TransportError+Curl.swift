#if canImport(CHalcyonCurlShim)
import HalcyonHTTP
import CHalcyonCurlShim
import Foundation

extension CURLcode {
  /// Whether the connection was lost, or was found lost when the request was sent.
  var isConnectionLost: Bool { [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2].contains(self) }

  /// Whether what was received does not begin like a response: it has no status line, or a line without an end.
  var isNoResponse: Bool { [CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY].contains(self) || isTooLarge }

  /// Whether a line is longer than libcurl reads: `CURLE_TOO_LARGE`, which versions before 8.6 do not have.
  var isTooLarge: Bool { self == CURLE_OUT_OF_MEMORY || rawValue == 100 }
}

extension TransportError {
  /// The error for a result code of libcurl; `reason` is libcurl's message.
  ///
  /// - Parameter proxy: Named next to what may be its fault: one that reads TLS connections has a certificate of its own.
  init(
    _ code: CURLcode, reason: String, transfer: Transfer, expected: Int?, proxy: ProxySettings.Proxy? = nil
  ) {
    let host = transfer.host
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: self = .hostNotFound(host)
    case CURLE_COULDNT_CONNECT: self = .connectionFailed(host: host, reason: reason)
    case CURLE_OPERATION_TIMEDOUT: self = .connectTimedOut(transfer.request.limits.connectTimeout)
    // Malformed chunked encoding has no result code of its own.
    case CURLE_RECV_ERROR where reason.contains("chunk"): self = .malformedResponse(reason: reason)
    // With TLS 1.3 a server refuses the client's certificate after the handshake.
    case CURLE_RECV_ERROR where reason.contains(" alert "), CURLE_SEND_ERROR where reason.contains(" alert "):
      self = .secureConnectionFailed(host: host, reason: reason)
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .connectionLost(received: transfer.received, expected: expected)
    case CURLE_SSL_CONNECT_ERROR where Self.isOfCutHandshake(reason):
      self = .connectionLost(received: 0, expected: nil)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR:
      let way = proxy.map { " (through the proxy \($0.name))" } ?? ""
      self = .secureConnectionFailed(host: host, reason: reason + way)
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .publicKeyMismatch(host: host)
    case CURLE_BAD_CONTENT_ENCODING where reason.contains("Transfer-Encoding"):
      self = .malformedResponse(reason: reason)
    case CURLE_BAD_CONTENT_ENCODING: self = .badContentEncoding(reason: reason)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: self = .malformedResponse(reason: reason)
    default: self = .failed(reason: reason)
    }
  }

  /// Whether libcurl's message says that the connection was closed or reset during the TLS handshake, without an alert: its
  /// own, then those of OpenSSL and GnuTLS.
  static func isOfCutHandshake(_ reason: String) -> Bool {
    [
      "Recv failure", "Send failure", "SSL_connect: ", "unexpected eof", "non-properly terminated", "pull function",
    ].contains { reason.contains($0) }
  }
}
#endif
