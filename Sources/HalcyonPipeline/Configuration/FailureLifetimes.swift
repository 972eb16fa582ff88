import HalcyonHTTP

/// For how long a failure is remembered and given again without asking anew.
///
/// What may pass at any moment (a lost connection, an overloaded server, a refused login) is never remembered, and a
/// request that reloads asks anyway.
public struct FailureLifetimes: Hashable, Sendable {
  /// The server says that there is nothing: 404, 410 and 451. Default: 10 seconds.
  public var missing: Duration
  /// What is there is no image, or none that can be decoded. Default: 10 seconds.
  public var unusable: Duration
  /// The host has no address. Default: 2 seconds.
  public var unknownHost: Duration

  /// Creates lifetimes.
  public init(
    missing: Duration = .seconds(10), unusable: Duration = .seconds(10), unknownHost: Duration = .seconds(2)
  ) {
    self.missing = missing
    self.unusable = unusable
    self.unknownHost = unknownHost
  }

  /// Remembers nothing.
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
