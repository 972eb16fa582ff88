import HalcyonHTTP

/// How long failures are cached, so that a request for the same image fails without a new transfer.
///
/// Failures that may be over at any moment (a lost connection, an overloaded server, a rejected login) are never
/// cached. Requests with ``CachePolicy/revalidate`` or ``CachePolicy/reload`` contact the server
/// anyway.
public struct FailureLifetimes: Hashable, Sendable {
  /// The image does not exist: status 404, 410 and 451. Default: 10 seconds.
  var missing: Duration
  /// The response is not an image, is empty or too large, or cannot be decoded, or redirects fail. Default: 10 seconds.
  var unusable: Duration
  /// The host name cannot be resolved. Default: 2 seconds.
  var unknownHost: Duration

  /// Creates lifetimes; a lifetime of 0 disables caching.
  public init(
    missing: Duration = .seconds(10), unusable: Duration = .seconds(10), unknownHost: Duration = .seconds(2)
  ) {
    self.missing = missing
    self.unusable = unusable
    self.unknownHost = unknownHost
  }

  /// Caches no failures.
  public static let none = FailureLifetimes(missing: .zero, unusable: .zero, unknownHost: .zero)

  func lifetime(of error: ImageError) -> Duration {
    switch error {
    case .httpStatus(404, _), .httpStatus(410, _), .httpStatus(451, _): missing
    case .notAnImage, .emptyResponse, .responseTooLarge, .decoding, .tooManyRedirects, .redirectRejected: unusable
    case .transport(.hostNotFound, _): unknownHost
    default: .zero
    }
  }
}
