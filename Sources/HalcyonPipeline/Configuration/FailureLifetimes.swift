import HalcyonHTTP

/// How long failures are cached, so that a request for the same image fails without a new transfer.
///
/// Failures that may be over at any moment (a lost connection, an overloaded server, a rejected login) are never
/// cached. Requests with ``CachePolicy/revalidate`` or ``CachePolicy/reload`` contact the server
/// anyway.
///
/// A response with status 404, 410 or 451 that says how long it holds (`max-age`, `Expires`) is cached that long instead,
/// in memory and for at most an hour; one that forbids it (`no-store`, `no-cache`) is not cached.
public struct FailureLifetimes: Hashable, Sendable {
  /// The image does not exist: status 404, 410 and 451. Default: 10 seconds.
  var missing: Duration
  /// The response is not an image, is empty or too large, or cannot be decoded, or redirects fail. Default: 10 seconds.
  var unusable: Duration
  /// The host name cannot be resolved. Default: 2 seconds.
  var unknownHost: Duration
  /// Whether the lifetime of a response takes the place of ``missing``. Default: yes.
  var followsHTTP: Bool
  /// The longest lifetime of a response.
  static let longest = 3600.0

  /// Creates lifetimes; a lifetime of 0 disables caching.
  ///
  /// - Parameters:
  ///   - missing: Of a missing image, status 404, 410 and 451. Default: 10 seconds.
  ///   - unusable: Of a response that is not an image or cannot be decoded. Default: 10 seconds.
  ///   - unknownHost: Of a host name that cannot be resolved. Default: 2 seconds.
  ///   - followsHTTP: Whether what a response says takes the place of `missing`. Default: yes.
  public init(
    missing: Duration = .seconds(10), unusable: Duration = .seconds(10), unknownHost: Duration = .seconds(2),
    followsHTTP: Bool = true
  ) {
    self.followsHTTP = followsHTTP
    self.missing = missing
    self.unusable = unusable
    self.unknownHost = unknownHost
  }

  /// Caches no failures.
  public static let none = FailureLifetimes(missing: .zero, unusable: .zero, unknownHost: .zero, followsHTTP: false)

  /// - Parameter stated: The lifetime that the response states, in seconds; `nil` if there is none.
  func lifetime(of error: ImageError, stated: Double? = nil) -> Duration {
    switch error {
    case .httpStatus(404, _), .httpStatus(410, _), .httpStatus(451, _):
      followsHTTP ? stated.map { .seconds(min($0, Self.longest)) } ?? missing : missing
    case .notAnImage, .emptyResponse, .responseTooLarge, .decoding, .tooManyRedirects, .redirectRejected: unusable
    case .transport(.hostNotFound, _): unknownHost
    default: .zero
    }
  }
}
