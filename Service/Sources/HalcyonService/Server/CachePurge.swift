import Crypto
import Foundation
import HTTPTypes
import Halcyon
import HalcyonCache

/// Removes all that is cached of a source, for clients that know the token.
struct CachePurge: Sendable {
  /// `nil` refuses every request.
  let token: String?
  let resolver: SourceResolver
  let pipeline: ImagePipeline
  let purges: Purges

  /// Whether the request has the token, compared in a time that does not depend on it.
  func isAuthorized(_ headers: HTTPFields) -> Bool {
    guard let token, !token.isEmpty else { return false }
    let expected = SHA256.hash(data: Data("Bearer \(token)".utf8))
    return expected == SHA256.hash(data: Data((headers[.authorization] ?? "").utf8))
  }

  /// Removes all that is cached of a source. Loads in flight are cancelled: what they have received is not stored.
  ///
  /// Returns the number of entries removed, without those of tiers that do not count them: the original and its results.
  ///
  /// - Throws: ``ServiceError/purgeIncomplete`` if a tier could not be reached; the others are purged.
  func removeAll(of source: String) async throws -> Int {
    let request = try resolver.request(for: source)
    let cache = pipeline.cache
    return try await purges.run(request.source) {
      pipeline.cancelLoads(of: request.source)
      await cache.flush()
      defer { (cache.store as? DataMemoryCache)?.trim(to: 0) }
      do {
        return try await cache.tiers?.removeEntries(from: request.source) ?? 0
      } catch {
        throw ServiceError.purgeIncomplete
      }
    }
  }
}
