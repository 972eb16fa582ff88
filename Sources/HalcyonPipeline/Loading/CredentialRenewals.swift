import HalcyonSupport
import HalcyonHTTP

/// Lets all loads of an origin whose credentials were refused share one renewal.
final class CredentialRenewals: Sendable {
  private struct Key: Hashable {
    let origin: Origin
    let generation: Int
  }

  private let jobs = InFlightJobs<Key, Bool>()
  private let generations = Lock<[Origin: Int]>([:])

  /// How often the credentials of an origin have been renewed. Ask before the request is made.
  func generation(of origin: Origin) -> Int {
    generations.withLock { $0[origin, default: 0] }
  }

  /// Renews the credentials, unless that was done since the request was made.
  ///
  /// - Returns: Whether the request is worth sending once more.
  func renew(
    _ origin: Origin, since generation: Int, interest: LoadSubscription,
    _ renewal: @escaping @Sendable () async throws(ImageError) -> Bool
  ) async throws(ImageError) -> Bool {
    guard self.generation(of: origin) == generation else { return true }
    return try await jobs.value(
      for: Key(origin: origin, generation: generation), interest: interest, keepsResult: true
    ) { [self] _ throws(ImageError) in
      let isRenewed = try await renewal()
      if isRenewed { generations.withLock { $0[origin, default: 0] += 1 } }
      return isRenewed
    }
  }
}
