import HalcyonHTTP
import Foundation

extension ImageError {
  /// Whether the same request may succeed a little later.
  public var isTransient: Bool {
    switch self {
    case .httpStatus(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
    case .transport(let error, _): error.isTransient
    default: false
    }
  }

  /// Whether no server was reached at all.
  var isUnreachable: Bool {
    switch self {
    case .transport(.hostNotFound, _), .transport(.connectionFailed, _), .transport(.connectTimedOut, _): true
    default: false
    }
  }

  /// Whether the bytes that had arrived are those of the whole body, as far as they go.
  var allowsResuming: Bool {
    switch self {
    case .transport(let error, _): error.isTransient
    case .cancelled: true
    default: false
    }
  }

  /// What an error of a transport means for a load.
  init(transferring url: URL, _ error: any Error) {
    switch error {
    case is CancellationError, TransportError.cancelled: self = .cancelled
    case let error as TransportError: self = .transport(error, url: url)
    default: self = Task.isCancelled ? .cancelled : .failed(cause: error, url: url)
    }
  }

  /// What an error of a caller's source means for a load.
  init(providing key: String, _ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as ImageError: self = error
    default: self = Task.isCancelled ? .cancelled : .providerFailed(key: key, cause: error)
    }
  }

  /// What an error of a caller's hook means for a load.
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
