import HalcyonSupport

/// Exponential backoff with jitter: the delay doubles after every failure, and is random so that clients do not retry
/// in step.
///
/// The n-th delay is uniformly distributed between half and all of `firstDelay * 2^(n-1)`, at most `longestDelay`. If
/// the response has a longer `Retry-After`, that is the delay, with up to a tenth added; a `Retry-After` above
/// `longestDelay` fails the load.
///
/// ```swift
/// let pipeline = ImagePipeline { $0.options.retryStrategy = ExponentialBackoff(attemptLimit: 5, firstDelay: .seconds(1)) }
/// ```
///
/// Strategies with the same limits and delays are equal, so that requests that set them separately share transfers; those
/// with a `random` of their own are equal to their copies only.
public struct ExponentialBackoff: RetryStrategy, Hashable {
  private let attemptLimit: Int
  private let firstDelay: Duration
  private let longestDelay: Duration
  private let random: RandomNumbers

  /// Creates a strategy.
  ///
  /// - Parameters:
  ///   - attemptLimit: The most attempts, the first included; below 1 counts as 1. Default: 3.
  ///   - firstDelay: The longest delay before the first retry; it doubles with each. Default: half a second.
  ///   - longestDelay: The upper bound of the delays. Default: 30 seconds.
  ///   - random: Returns a number in 0..<1; may be called from several threads at once. Default: `nil`, the system's random
  ///     numbers.
  public init(
    attemptLimit: Int = 3, firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30),
    random: (@Sendable () -> Double)? = nil
  ) {
    self.attemptLimit = attemptLimit
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.random = random.map { RandomNumbers($0) } ?? .system
  }

  /// The delay; `nil` after the last attempt, and after failures that are not transient.
  public func delay(after failure: FailedAttempt) async -> Duration? {
    guard failure.isTransient, failure.attemptCount < attemptLimit else { return nil }
    let doublings = min(max(failure.attemptCount, 1) - 1, 30)
    let ceiling = min(longestDelay.clamped, firstDelay.clamped * (1 << doublings))
    func jitter() -> Double { random.next().clamped(to: 0...1, nan: 0) }
    let delay = ceiling * (0.5 + jitter() / 2)
    guard let retryAfter = failure.retryAfter else { return delay }
    return retryAfter <= longestDelay ? max(delay, retryAfter.clamped * (1 + jitter() / 10)) : nil
  }
}

/// A source of random numbers, equal to its copies.
private struct RandomNumbers: Hashable, Sendable {
  static let system = RandomNumbers { Double.random(in: 0..<1) }
  private static let count = Atomic<UInt64>(0)

  let next: @Sendable () -> Double
  private let id: UInt64

  init(_ next: @escaping @Sendable () -> Double) {
    self.next = next
    id = Self.count.add(1)
  }

  static func == (left: Self, right: Self) -> Bool { left.id == right.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension RetryStrategy where Self == ExponentialBackoff {
  /// Never retries.
  public static var never: ExponentialBackoff { ExponentialBackoff(attemptLimit: 1) }
}
