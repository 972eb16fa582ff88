import HalcyonHTTP
import Foundation

extension ImageError {
  /// Whether the same request may succeed a little later.
  ///
  /// True for the status codes 408, 425, 429, 500, 502, 503 and 504, for an unresolved host name, and for a connection
  /// that failed, timed out or was lost.
  public var isTransient: Bool {
    switch self {
    case .httpStatus(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
    case .transport(let error, _): error.isTransient
    default: false
    }
  }

  /// Whether no connection to a server was made.
  var isUnreachable: Bool {
    switch self {
    case .transport(.hostNotFound, _), .transport(.connectionFailed, _), .transport(.connectTimedOut, _): true
    default: false
    }
  }

  /// Whether the bytes received before the error are valid, so that the download can be resumed.
  var allowsResuming: Bool {
    switch self {
    case .transport(let error, _): error.isTransient
    case .cancelled: true
    default: false
    }
  }

  /// Wraps an error that a transport threw.
  init(transferring url: URL, _ error: any Error) {
    switch error {
    case is CancellationError, TransportError.cancelled: self = .cancelled
    case let error as TransportError: self = .transport(error, url: url)
    default: self = Task.isCancelled ? .cancelled : .failed(cause: error, url: url)
    }
  }

  /// Wraps an error that an ``ImageProvider`` or ``URLResolver`` threw.
  init(providing key: String, _ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as ImageError: self = error
    default: self = Task.isCancelled ? .cancelled : .providerFailed(key: key, cause: error)
    }
  }

  /// Wraps an error that a hook of the configuration threw; `refusal` makes the case for other errors than
  /// `ImageError`.
  init(requesting url: URL, _ error: any Error, _ refusal: (any Error, URL) -> ImageError) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as ImageError: self = error
    default: self = Task.isCancelled ? .cancelled : refusal(error, url)
    }
  }
}

extension TransportError {
  /// Whether the same transfer may succeed a little later.
  var isTransient: Bool {
    switch self {
    case .hostNotFound, .connectionFailed, .connectTimedOut, .idleTimedOut, .connectionLost: true
    default: false
    }
  }
}
