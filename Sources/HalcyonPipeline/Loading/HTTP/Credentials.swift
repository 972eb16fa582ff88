import HalcyonHTTP
import HalcyonSupport

/// Credentials that a modifier adds: renewed after a 401; their responses are not stored for other users.
extension HTTPAttempt {
  func renewCredentials(
    of origin: Origin, since generation: Int, _ head: ResponseHead
  ) async throws(ImageError) -> Bool {
    guard let modifier else { return false }
    let link = LoadChain.Link(loader: ObjectIdentifier(loader), key: CacheKey("credentials of \(origin)"))
    // The renewal itself loads from this origin: its load fails with 401, and does not wait for itself.
    if LoadChain.isCalling(for: link) { return false }
    return try await loader.renewals.renew(origin, since: generation, subscription: load.subscription) {
      () async throws(ImageError) in
      try await LoadChain.calling(for: link) { () async throws(ImageError) in
        do {
          return try await modifier.renewCredentials(after: head)
        } catch {
          throw ImageError(requesting: head.url, error) { .requestRejected(cause: $0, url: $1) }
        }
      }
    }
  }

  /// Whether the response may be stored: not if a modifier without an identity added credentials, since other users
  /// would find it; also after a redirect, whose URL may be secret.
  func isStorable(_ sent: TransportRequest) -> Bool {
    guard let modifier, modifier.identity == nil else { return true }
    return sent.signature == nil
      && ["Authorization", "Cookie", "Proxy-Authorization"].allSatisfy { name in
        sent.headers[name] == request.headers[name]
      }
  }
}

/// Coalesces the renewal of credentials: one for all loads of an origin that got a 401.
final class CredentialRenewals: Sendable {
  private struct Key: Hashable {
    let origin: Origin
    let generation: Int
  }

  private let jobs = InFlightJobs<Key, Bool> { CacheKey("credentials of \($0.origin.host)").sourceURL }
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
    try await jobs.value(
      for: Key(origin: origin, generation: generation), subscription: subscription, keepsResult: true
    ) { [self] _ throws(ImageError) in
      // Checked again in the job: an earlier job for this key may just have ended.
      guard self.generation(of: origin) == generation else { return true }
      let isRenewed = try await renewal()
      if isRenewed { generations.withLock { $0[origin, default: 0] += 1 } }
      return isRenewed
    }
  }
}
