import HalcyonSupport
package import HalcyonHTTP
package import Foundation

/// The rules for storing responses and for serving them without contacting the server (RFC 9111, with the
/// extensions of RFC 5861 and RFC 8246).
///
/// The rules are pure: nothing is read, written or remembered. Ages are computed at each use from the dates in the
/// metadata, so a clock that was wrong for a while has no lasting effect.
public struct HTTPCacheRules: Hashable, Sendable {
  /// Whether the cache is shared by several users. Default: `false`, a private cache.
  public var isShared: Bool
  /// The freshness lifetime of a response without any caching fields: `Cache-Control`, `Expires`, `Pragma`,
  /// `Last-Modified` or `ETag`.
  ///
  /// Default: 0, such a response is fetched again each time, as in HTTP. Plain image servers send none of these fields,
  /// although their users expect the second load to be fast.
  public var defaultLifetime: Duration
  /// The least freshness lifetime of a response with a validator (`ETag` or `Last-Modified`) but without a lifetime of
  /// its own (`max-age`, `Expires`), counted from its last validation.
  ///
  /// Default: 0, such a response is fresh for a tenth of its age by `Last-Modified`, or is revalidated each time. It
  /// does not apply to responses with `no-cache`.
  public var validatorLifetime: Duration

  /// The longest freshness lifetime by `Last-Modified`, a tenth of the time since then, of a response without a lifetime
  /// of its own. Default: a day. With 0 only what servers state counts: a permanent redirect without a lifetime, otherwise
  /// always fresh, has ``defaultLifetime``.
  @_spi(Programs) public var heuristicLifetimeLimit = Duration.seconds(86_400)
  /// Whether `s-maxage` counts although the cache is not shared: for a server that keeps the responses to different
  /// credentials apart. Default: no.
  @_spi(Programs) public var usesSharedMaxAge = false
  /// Whether ``CachePolicy/revalidate`` also contacts the server for a fresh response that is `immutable` (RFC 8246), as
  /// forced reloads of browsers do. Default: no.
  @_spi(Programs) public var revalidatesImmutable = false

  /// Creates rules.
  public init(isShared: Bool = false, defaultLifetime: Duration = .zero, validatorLifetime: Duration = .zero) {
    self.isShared = isShared
    self.defaultLifetime = defaultLifetime
    self.validatorLifetime = validatorLifetime
  }

  /// The header fields with which a stored response is served to an HTTP client: its own with the current `Age`, and a
  /// `Date` if the server sent none (RFC 9111, 4; RFC 9110, 6.6.1).
  package func servedHeaders(of stored: EntryMetadata, at now: Date) -> HTTPHeaders {
    var headers = stored.headers
    headers["Date"] = headers["Date"] ?? HTTPDate.text(stored.responseDate)
    headers["Age"] = String(Int64(min(age(of: stored, at: now) ?? 0, Double(Int32.max))))
    return headers
  }
}
