import HTTPTypes
import Halcyon
import HalcyonCache

/// Removes all that is cached of a source, for clients that know the token.
struct CachePurge: Sendable {
  /// `nil` refuses every request.
  let token: String?
  let resolver: SourceResolver
  let cache: ImageCache

  /// Whether the request has the token.
  func isAuthorized(_ headers: HTTPFields) -> Bool {
    token.map { !$0.isEmpty && BearerToken.isValid($0, in: headers) } ?? false
  }

  /// Removes all that is cached of a source. Loads in flight are delivered, and not stored.
  ///
  /// Returns the number of entries removed, the original and its results; a tier that does not count its entries adds
  /// none.
  ///
  /// - Throws: ``ServiceError/purgeIncomplete`` if a tier could not be reached; the others are purged.
  func removeAll(of source: String) async throws -> Int {
    let source = try resolver.cachedSource(of: source)
    guard let tiers = cache.tiers else { return 0 }
    do {
      let count = try await tiers.removeEntries(from: source)
      // Once more, for writes that had begun.
      await cache.flush()
      return count + (try await tiers.removeEntries(from: source))
    } catch {
      throw ServiceError.purgeIncomplete
    }
  }
}
