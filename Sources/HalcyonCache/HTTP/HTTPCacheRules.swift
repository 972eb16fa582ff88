import HalcyonSupport
public import HalcyonHTTP
public import Foundation

/// When a stored answer may be served without asking its server (RFC 9111).
///
/// Pure rules: nothing is read, written or remembered here. Ages are computed anew from the times in the metadata, so a
/// clock that was set wrong for a while does no lasting harm.
public struct HTTPCacheRules: Hashable, Sendable {
  /// Whether several users share the cache. Default: no, the cache is one user's own.
  public var isShared: Bool
  /// How long an answer stays fresh that says nothing about caching at all: it has none of `Cache-Control`, `Expires`,
  /// `Pragma`, `Last-Modified` and `ETag`. Default: 0, such an answer is asked for each time, as HTTP has it. Plain
  /// servers of images send nothing of the kind, and their users expect the second look to be quick.
  public var defaultLifetime: Duration

  /// Creates the rules for one kind of cache.
  public init(isShared: Bool = false, defaultLifetime: Duration = .zero) {
    self.isShared = isShared
    self.defaultLifetime = defaultLifetime
  }

  /// What may be done with a stored answer.
  public enum Verdict: Hashable, Sendable {
    /// It may be served.
    case fresh
    /// It may be served at once, and has to be asked for anew meanwhile.
    case staleWhileRevalidate
    /// Its server has to be asked first.
    case stale
  }

  /// Statuses that may be kept without being told so (RFC 9110, 15.1), the partial 206 left out.
  private static let storableStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
  /// A server that sends one of these has thought about caching.
  private static let fieldsThatSay = ["Cache-Control", "Expires", "Pragma", "Last-Modified", "ETag"]
  /// Where nothing says how long an answer stays fresh, no longer than this.
  private static let longestHeuristicLifetime = 86_400.0
  /// A stored answer from further in the future than this comes from a clock that was wrong.
  private static let toleratedClockError = 60.0

  /// Whether an answer to a GET may be kept (RFC 9111, 3).
  public func isStorable(status: Int, headers: HTTPHeaders, requestHeaders: HTTPHeaders) -> Bool {
    let answer = CacheControl(headers)
    let isKnown = Self.storableStatuses.contains(status)
    guard answer.requiresKnownStatus ? isKnown : !answer.forbidsStorage,
      !CacheControl(requestHeaders).forbidsStorage, status >= 200, status != 206, status != 304
    else { return false }
    if isShared {
      if answer.isPrivate { return false }
      let isAllowed = answer.isPublic || answer.forbidsStale || answer.sharedMaxAge != nil
      if requestHeaders["Authorization"] != nil, !isAllowed { return false }
    }
    let saysHowLong =
      answer.maxAge != nil || headers["Expires"] != nil || isShared && answer.sharedMaxAge != nil
    return isKnown || saysHowLong || answer.isPublic
  }

  /// What may be done with a stored answer now.
  public func verdict(on stored: EntryMetadata, requestHeaders: HTTPHeaders = HTTPHeaders(), at now: Date) -> Verdict {
    let answer = CacheControl(stored.headers)
    let request = CacheControl(requestHeaders)
    let noCache = answer.requiresValidation || request.requiresValidation || isPragmaNoCache(requestHeaders)
    guard !noCache, let age = age(of: stored, at: now) else { return .stale }
    if let accepted = request.maxAge, age > Double(accepted) { return .stale }
    let staleness = age - lifetime(of: stored, answer)
    if staleness + Double(request.minFresh ?? 0) < 0 { return .fresh }
    guard request.minFresh == nil, !mustNotBeStale(answer) else { return .stale }
    if let accepted = request.maxStale, staleness <= Double(accepted) { return .fresh }
    if let seconds = answer.staleWhileRevalidate, staleness <= Double(seconds) { return .staleWhileRevalidate }
    return .stale
  }

  /// Whether a stale answer may be served because its server cannot be reached, or answers 500, 502, 503 or 504
  /// (RFC 5861, 4).
  ///
  /// - Parameter isOffline: The caller asks for whatever there is, however old.
  public func allowsStaleIfError(
    _ stored: EntryMetadata, requestHeaders: HTTPHeaders = HTTPHeaders(), at now: Date, isOffline: Bool = false
  ) -> Bool {
    let answer = CacheControl(stored.headers)
    guard !mustNotBeStale(answer), !answer.requiresValidation else { return false }
    if isOffline { return true }
    guard let age = age(of: stored, at: now),
      let seconds = CacheControl(requestHeaders).staleIfError ?? answer.staleIfError
    else { return false }
    return age - lifetime(of: stored) <= Double(seconds)
  }

  /// Whether a reload has to ask: not while an answer is fresh that says it does not change (RFC 8246).
  public func isReloadNeeded(_ stored: EntryMetadata, at now: Date) -> Bool {
    !(CacheControl(stored.headers).isImmutable && verdict(on: stored, at: now) == .fresh)
  }

  /// Seconds for which a stored answer stays fresh from now on; 0 when it has to be asked for.
  public func remainingLifetime(of stored: EntryMetadata, at now: Date) -> Double {
    // The verdict on a request without fields of its own, said in seconds.
    let answer = CacheControl(stored.headers)
    guard !answer.requiresValidation, let age = age(of: stored, at: now) else { return 0 }
    return max(0, lifetime(of: stored, answer) - age)
  }

  /// Seconds that an answer stays fresh, counted from when it was made (RFC 9111, 4.2.1 and 4.2.2).
  public func lifetime(of stored: EntryMetadata) -> Double { lifetime(of: stored, CacheControl(stored.headers)) }

  private func lifetime(of stored: EntryMetadata, _ control: CacheControl) -> Double {
    if isShared, let seconds = control.sharedMaxAge { return Double(seconds) }
    if let seconds = control.maxAge { return Double(seconds) }
    let made = madeDate(of: stored)
    if let expires = stored.headers["Expires"] {
      return HTTPDate.parse(expires, now: stored.responseDate).map { max(0, $0.timeIntervalSince(made)) } ?? 0
    }
    if saysNothing(stored.headers) { return defaultLifetime.inSeconds }
    guard Self.storableStatuses.contains(stored.status) || control.isPublic,
      let field = stored.headers["Last-Modified"],
      let modified = HTTPDate.parse(field, now: stored.responseDate)
    else { return 0 }
    return min(Self.longestHeuristicLifetime, max(0, made.timeIntervalSince(modified) / 10))
  }

  /// Seconds since an answer was made, or `nil` when the clock says it has not been yet (RFC 9111, 4.2.3).
  public func age(of stored: EntryMetadata, at now: Date) -> Double? {
    let resident = now.timeIntervalSince(stored.responseDate)
    guard resident >= -Self.toleratedClockError else { return nil }
    let apparent = max(0, stored.responseDate.timeIntervalSince(madeDate(of: stored)))
    let delay = max(0, stored.responseDate.timeIntervalSince(stored.requestDate))
    return max(apparent, claimedAge(stored.headers["Age"]) + delay) + max(0, resident)
  }

  /// The fields that a stored answer is served with to another program: its own, its `Age`, and a `Date` where its
  /// server sent none (RFC 9111, 4; RFC 9110, 6.6.1).
  public func servedHeaders(of stored: EntryMetadata, at now: Date) -> HTTPHeaders {
    var headers = stored.headers
    headers["Date"] = headers["Date"] ?? HTTPDate.text(stored.responseDate)
    headers["Age"] = String(Int(min(age(of: stored, at: now) ?? 0, Double(1 << 31))))
    return headers
  }

  /// The first of several values; what is no whole number says nothing.
  private func claimedAge(_ field: String?) -> Double {
    let value = field?.prefix { $0 != "," }.trimmingCharacters(in: .whitespaces) ?? ""
    return value.utf8.allSatisfy { (48...57).contains($0) } ? Double(value) ?? 0 : 0
  }

  private func madeDate(of stored: EntryMetadata) -> Date {
    stored.headers["Date"].flatMap { HTTPDate.parse($0, now: stored.responseDate) } ?? stored.responseDate
  }

  private func mustNotBeStale(_ answer: CacheControl) -> Bool {
    answer.forbidsStale || isShared && (answer.forbidsSharedStale || answer.sharedMaxAge != nil)
  }

  private func saysNothing(_ headers: HTTPHeaders) -> Bool {
    !headers.fields.contains { field in Self.fieldsThatSay.contains { field.name.isEqualIgnoringCase(to: $0) } }
  }

  private func isPragmaNoCache(_ headers: HTTPHeaders) -> Bool {
    headers["Cache-Control"] == nil && headers["Pragma"]?.lowercased().contains("no-cache") == true
  }
}
