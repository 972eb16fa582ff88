package import Foundation
package import HalcyonHTTP

/// Whether a stored response may be served: fresh, stale while it is revalidated, or stale because the server fails
/// (RFC 9111, 4.2.4; RFC 5861).
extension HTTPCacheRules {
  /// Whether a stored response may be served.
  package enum Verdict: Hashable, Sendable {
    /// It may be served.
    case fresh
    /// It may be served while it is revalidated in the background.
    case staleWhileRevalidate
    /// It must be revalidated before it is served.
    case stale
  }

  /// Whether a stored response may be served for a request now.
  ///
  /// Redirects that led to it must be fresh as well.
  package func verdict(on stored: EntryMetadata, requestHeaders: HTTPHeaders = HTTPHeaders(), at now: Date) -> Verdict {
    let verdicts = hops(of: stored).map { verdict(on: $0, requestHeaders: requestHeaders, at: now) }
    if verdicts.contains(.stale) { return .stale }
    return verdicts.contains(.staleWhileRevalidate) ? .staleWhileRevalidate : .fresh
  }

  func verdict(on hop: Hop, requestHeaders: HTTPHeaders, at now: Date) -> Verdict {
    let response = hop.control
    let request = CacheControl(requestHeaders)
    let noCache = response.requiresValidation || request.requiresValidation || isPragmaNoCache(requestHeaders)
    guard !noCache, let age = age(of: hop.response, at: now) else { return .stale }
    if let accepted = request.maxAge, age > Double(accepted) { return .stale }
    let staleness = age - hop.lifetime
    if staleness < 0, staleness + Double(request.minFresh ?? 0) <= 0 { return .fresh }
    guard request.minFresh == nil, !forbidsServingStale(response) else { return .stale }
    if let accepted = request.maxStale, staleness <= Double(accepted) { return .fresh }
    if let seconds = response.staleWhileRevalidate, staleness <= Double(seconds) { return .staleWhileRevalidate }
    return .stale
  }

  /// Whether a stale response may be served because its server cannot be reached, or responds with 500, 502, 503 or 504
  /// (RFC 5861, 4).
  ///
  /// - Parameters:
  ///   - stored: The metadata of the stored response.
  ///   - requestHeaders: The header fields of the request.
  ///   - now: The current date.
  ///   - isOffline: Whether any response without `must-revalidate` or `no-cache` may be served, regardless of
  ///     its age and of `stale-if-error`.
  package func allowsStaleIfError(
    _ stored: EntryMetadata, requestHeaders: HTTPHeaders = HTTPHeaders(), at now: Date, isOffline: Bool = false
  ) -> Bool {
    let hops = hops(of: stored)
    let stale = hops.filter { verdict(on: $0, requestHeaders: requestHeaders, at: now) != .fresh }
    return (stale.isEmpty ? hops : stale).allSatisfy { hop in
      allowsStaleIfError(hop, requestHeaders: requestHeaders, at: now, isOffline: isOffline)
    }
  }

  private func allowsStaleIfError(_ hop: Hop, requestHeaders: HTTPHeaders, at now: Date, isOffline: Bool) -> Bool {
    guard !forbidsServingStale(hop.control), !hop.control.requiresValidation else { return false }
    if isOffline { return true }
    guard let age = age(of: hop.response, at: now),
      let seconds = CacheControl(requestHeaders).staleIfError ?? hop.control.staleIfError
    else { return false }
    return age - hop.lifetime <= Double(seconds)
  }

  /// Whether a reload must contact the server: not for a fresh `immutable` response (RFC 8246), if all redirects that
  /// led to it are `immutable` as well.
  package func isReloadNeeded(_ stored: EntryMetadata, at now: Date) -> Bool {
    revalidatesImmutable
      || !(hops(of: stored).allSatisfy(\.control.isImmutable) && verdict(on: stored, at: now) == .fresh)
  }

  private func forbidsServingStale(_ response: CacheControl) -> Bool {
    response.forbidsStale || isShared && (response.forbidsSharedStale || response.sharedMaxAge != nil)
  }

  func isPragmaNoCache(_ headers: HTTPHeaders) -> Bool {
    headers["Cache-Control"] == nil && headers["Pragma"]?.lowercased().contains("no-cache") == true
  }
}
