import HalcyonHTTP
import Foundation

extension ImageError {
  /// Whether the same request may succeed a little later.
  ///
  /// True for the status codes 408, 425, 429, 500, 502, 503 and 504, also of a proxy, for an unresolved host name, and for
  /// a connection that failed, timed out or was lost, also during the TLS handshake.
  public var isTransient: Bool {
    switch self {
    case .retryLater: true
    case .httpStatus(let status, _): transientStatuses.contains(status)
    case .transport(let error, _): error.isTransient
    default: false
    }
  }

  /// Whether no connection to a server was made.
  var isUnreachable: Bool {
    switch self {
    case .transport(.hostNotFound, _), .transport(.connectionFailed, _), .transport(.connectTimedOut, _),
      .transport(.proxyFailed, _):
      true
    default: false
    }
  }
}

/// The status codes of failures that may be over a little later.
private let transientStatuses = [408, 425, 429, 500, 502, 503, 504]

extension TransportError {
  /// Whether the same transfer may succeed a little later.
  var isTransient: Bool {
    switch self {
    case .hostNotFound, .connectionFailed, .connectTimedOut, .idleTimedOut, .connectionLost: true
    case .proxyFailed(_, let status, _): status.map { transientStatuses.contains($0) } ?? true
    default: false
    }
  }
}
