/// Remembers for a short while which addresses gave no image, so that a scrolled list does not ask for them again and
/// again.
final class FailureMemory: Sendable {
  private struct Failure {
    let error: ImageError
    let deadline: Duration
  }

  /// The most failures remembered.
  private static let countLimit = 1000

  private let lifetimes: FailureLifetimes
  private let time: any TimeSource
  private let failures = Lock<[CacheKey: Failure]>([:])

  init(lifetimes: FailureLifetimes, time: any TimeSource) {
    self.lifetimes = lifetimes
    self.time = time
  }

  /// The error that is still remembered.
  func error(for key: CacheKey) -> ImageError? {
    failures.withLock { failures in
      guard !failures.isEmpty, let failure = failures[key] else { return nil }
      if time.uptime() < failure.deadline { return failure.error }
      failures[key] = nil
      return nil
    }
  }

  func note(_ error: ImageError, for key: CacheKey) {
    let lifetime = lifetimes.lifetime(of: error)
    guard lifetime > .zero else { return }
    let now = time.uptime()
    failures.withLock { failures in
      if failures.count >= Self.countLimit { failures = failures.filter { $0.value.deadline > now } }
      if failures.count >= Self.countLimit { failures = [:] }
      failures[key] = Failure(error: error, deadline: now + lifetime)
    }
  }

  func forget(_ key: CacheKey) {
    failures.withLock { failures in
      if !failures.isEmpty { failures[key] = nil }
    }
  }
}

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
    case .notAnImage, .emptyResponse, .responseTooLarge, .decoding, .tooManyRedirects, .redirectRefused: unusable
    case .transport(.hostNotFound, _): unknownHost
    default: .zero
    }
  }
}
