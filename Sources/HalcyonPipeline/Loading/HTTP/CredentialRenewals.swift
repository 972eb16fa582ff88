import HalcyonHTTP
import HalcyonSupport

/// Coalesces the renewal of credentials: one for all loads of an origin that were answered with 401.
final class CredentialRenewals: Sendable {
  private struct Key: Hashable {
    let origin: Origin
    let generation: Int
  }

  private let jobs = InFlightJobs<Key, Bool>()
  private let generations = Lock<[Origin: Int]>([:])

  /// How often the credentials of an origin have been renewed; read before a request is sent.
  func generation(of origin: Origin) -> Int {
    generations.withLock { $0[origin, default: 0] }
  }

  func invalidate() { jobs.invalidate() }

  /// Renews the credentials, unless they were renewed after `generation` was read.
  ///
  /// - Returns: Whether the request should be sent again.
  func renew(
    _ origin: Origin, since generation: Int, subscription: LoadSubscription,
    _ renewal: @escaping @Sendable () async throws(ImageError) -> Bool
  ) async throws(ImageError) -> Bool {
    guard self.generation(of: origin) == generation else { return true }
    return try await jobs.value(
      for: Key(origin: origin, generation: generation), subscription: subscription, keepsResult: true
    ) { [self] _ throws(ImageError) in
      let isRenewed = try await renewal()
      if isRenewed { generations.withLock { $0[origin, default: 0] += 1 } }
      return isRenewed
    }
  }
}
