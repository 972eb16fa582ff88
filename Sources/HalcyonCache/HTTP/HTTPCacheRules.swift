import HalcyonSupport
public import HalcyonHTTP
public import Foundation

/// The rules for storing responses and for serving them without contacting the server (RFC 9111).
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

  /// Creates rules.
  public init(isShared: Bool = false, defaultLifetime: Duration = .zero) {
    self.isShared = isShared
    self.defaultLifetime = defaultLifetime
  }

  /// Whether a stored response may be served.
  public enum Verdict: Hashable, Sendable {
    /// It may be served.
    case fresh
    /// It may be served while it is revalidated in the background.
    case staleWhileRevalidate
    /// It must be revalidated before it is served.
    case stale
  }

  /// Heuristically cacheable status codes (RFC 9110, 15.1), except 206 (Partial Content).
  private static let storableStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
  /// With any of these fields ``defaultLifetime`` does not apply.
  private static let cachingFields = ["Cache-Control", "Expires", "Pragma", "Last-Modified", "ETag"]
  /// The longest heuristic freshness lifetime, in seconds.
  private static let longestHeuristicLifetime = 86_400.0
  /// A response dated further in the future, in seconds, was stored while the clock was wrong.
  private static let toleratedClockError = 60.0

  /// Whether the response to a GET may be stored (RFC 9111, 3).
  public func isStorable(status: Int, headers: HTTPHeaders, requestHeaders: HTTPHeaders) -> Bool {
    let response = CacheControl(headers)
    let isKnownStatus = Self.storableStatuses.contains(status)
    guard response.requiresKnownStatus ? isKnownStatus : !response.forbidsStorage,
      !CacheControl(requestHeaders).forbidsStorage, status >= 200, status != 206, status != 304
    else { return false }
    if isShared {
      if response.isPrivate { return false }
      let isAllowed = response.isPublic || response.forbidsStale || response.sharedMaxAge != nil
      if requestHeaders["Authorization"] != nil, !isAllowed { return false }
    }
    let hasExplicitLifetime =
      response.maxAge != nil || headers["Expires"] != nil || isShared && response.sharedMaxAge != nil
    return isKnownStatus || hasExplicitLifetime || response.isPublic
  }

  /// Whether a stored response may be served for a request now.
  public func verdict(on stored: EntryMetadata, requestHeaders: HTTPHeaders = HTTPHeaders(), at now: Date) -> Verdict {
    let response = CacheControl(stored.headers)
    let request = CacheControl(requestHeaders)
    let noCache = response.requiresValidation || request.requiresValidation || isPragmaNoCache(requestHeaders)
    guard !noCache, let age = age(of: stored, at: now) else { return .stale }
    if let accepted = request.maxAge, age > Double(accepted) { return .stale }
    let staleness = age - lifetime(of: stored, response)
    if staleness + Double(request.minFresh ?? 0) < 0 { return .fresh }
    guard request.minFresh == nil, !forbidsServingStale(response) else { return .stale }
    if let accepted = request.maxStale, staleness <= Double(accepted) { return .fresh }
    if let seconds = response.staleWhileRevalidate, staleness <= Double(seconds) { return .staleWhileRevalidate }
    return .stale
  }

  /// Whether a stale response may be served because its server cannot be reached, or responds with 500, 502, 503 or 504
  /// (RFC 5861, 4).
  ///
  /// - Parameter isOffline: Whether any response without `must-revalidate` or `no-cache` may be served, regardless of
  ///   its age and of `stale-if-error`.
  public func allowsStaleIfError(
    _ stored: EntryMetadata, requestHeaders: HTTPHeaders = HTTPHeaders(), at now: Date, isOffline: Bool = false
  ) -> Bool {
    let response = CacheControl(stored.headers)
    guard !forbidsServingStale(response), !response.requiresValidation else { return false }
    if isOffline { return true }
    guard let age = age(of: stored, at: now),
      let seconds = CacheControl(requestHeaders).staleIfError ?? response.staleIfError
    else { return false }
    return age - lifetime(of: stored) <= Double(seconds)
  }

  /// Whether a reload must contact the server: not for a fresh `immutable` response (RFC 8246).
  public func isReloadNeeded(_ stored: EntryMetadata, at now: Date) -> Bool {
    !(CacheControl(stored.headers).isImmutable && verdict(on: stored, at: now) == .fresh)
  }

  /// The remaining freshness lifetime of a stored response in seconds; 0 if it must be revalidated.
  public func remainingLifetime(of stored: EntryMetadata, at now: Date) -> Double {
    // Consistent with `verdict` for a request without header fields.
    let response = CacheControl(stored.headers)
    guard !response.requiresValidation, let age = age(of: stored, at: now) else { return 0 }
    return max(0, lifetime(of: stored, response) - age)
  }

  /// The freshness lifetime of a stored response in seconds, counted from its `Date` (RFC 9111, 4.2.1 and 4.2.2).
  public func lifetime(of stored: EntryMetadata) -> Double { lifetime(of: stored, CacheControl(stored.headers)) }

  private func lifetime(of stored: EntryMetadata, _ control: CacheControl) -> Double {
    if isShared, let seconds = control.sharedMaxAge { return Double(seconds) }
    if let seconds = control.maxAge { return Double(seconds) }
    let date = date(of: stored)
    if let expires = stored.headers["Expires"] {
      return HTTPDate.parse(expires, now: stored.responseDate).map { max(0, $0.timeIntervalSince(date)) } ?? 0
    }
    if lacksCachingFields(stored.headers) { return defaultLifetime.inSeconds }
    guard Self.storableStatuses.contains(stored.status) || control.isPublic,
      let field = stored.headers["Last-Modified"],
      let modified = HTTPDate.parse(field, now: stored.responseDate)
    else { return 0 }
    return min(Self.longestHeuristicLifetime, max(0, date.timeIntervalSince(modified) / 10))
  }

  /// The age of a stored response in seconds (RFC 9111, 4.2.3); `nil` if it was received over a minute in the future,
  /// because the clock was set back.
  public func age(of stored: EntryMetadata, at now: Date) -> Double? {
    let residentTime = now.timeIntervalSince(stored.responseDate)
    guard residentTime >= -Self.toleratedClockError else { return nil }
    let apparentAge = max(0, stored.responseDate.timeIntervalSince(date(of: stored)))
    let delay = max(0, stored.responseDate.timeIntervalSince(stored.requestDate))
    return max(apparentAge, ageValue(stored.headers["Age"]) + delay) + max(0, residentTime)
  }

  /// The header fields with which a stored response is served to an HTTP client: its own with the current `Age`, and a
  /// `Date` if the server sent none (RFC 9111, 4; RFC 9110, 6.6.1).
  public func servedHeaders(of stored: EntryMetadata, at now: Date) -> HTTPHeaders {
    var headers = stored.headers
    headers["Date"] = headers["Date"] ?? HTTPDate.text(stored.responseDate)
    headers["Age"] = String(Int(min(age(of: stored, at: now) ?? 0, Double(1 << 31))))
    return headers
  }

  /// The value of an `Age` field, the first of several; 0 if it is absent or not a number.
  private func ageValue(_ field: String?) -> Double {
    let value = field?.prefix { $0 != "," }.trimmingCharacters(in: .whitespaces) ?? ""
    return value.isASCIIDigits ? Double(value) ?? 0 : 0
  }

  /// The `Date` of a response; when it was received if there is none.
  private func date(of stored: EntryMetadata) -> Date {
    stored.headers["Date"].flatMap { HTTPDate.parse($0, now: stored.responseDate) } ?? stored.responseDate
  }

  private func forbidsServingStale(_ response: CacheControl) -> Bool {
    response.forbidsStale || isShared && (response.forbidsSharedStale || response.sharedMaxAge != nil)
  }

  private func lacksCachingFields(_ headers: HTTPHeaders) -> Bool {
    !headers.fields.contains { field in Self.cachingFields.contains { field.name.isEqualIgnoringCase(to: $0) } }
  }

  private func isPragmaNoCache(_ headers: HTTPHeaders) -> Bool {
    headers["Cache-Control"] == nil && headers["Pragma"]?.lowercased().contains("no-cache") == true
  }
}
