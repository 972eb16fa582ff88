package import Foundation
import HalcyonHTTP
import HalcyonSupport

/// Freshness lifetime and age (RFC 9111, 4.2).
extension HTTPCacheRules {
  /// With any of these fields ``defaultLifetime`` does not apply.
  private static let cachingFields = ["Cache-Control", "Expires", "Pragma", "Last-Modified", "ETag"]
  /// A response dated further in the future, in seconds, was stored while the clock was wrong.
  private static let toleratedClockError = 60.0

  /// The remaining freshness lifetime of a stored response, and of the redirects that led to it, in seconds; 0 if one of
  /// them must be revalidated.
  package func remainingLifetime(of stored: EntryMetadata, at now: Date) -> Double {
    hops(of: stored).map { remainingLifetime(of: $0, at: now) }.min() ?? 0
  }

  /// The remaining freshness lifetime of redirects in seconds, infinite without any.
  package func remainingLifetime(of redirects: [EntryMetadata.Redirect], at now: Date) -> Double {
    redirects.map { remainingLifetime(of: hop($0), at: now) }.min() ?? .infinity
  }

  private func remainingLifetime(of hop: Hop, at now: Date) -> Double {
    // Consistent with `verdict` for a request without header fields.
    guard !hop.control.requiresValidation, let age = age(of: hop.response, at: now) else { return 0 }
    return max(0, hop.lifetime - age)
  }

  /// The remaining freshness lifetime of a stored response in seconds if it states one itself (`max-age`, `Expires`); else
  /// 0.
  package func remainingExplicitLifetime(of stored: EntryMetadata, at now: Date) -> Double {
    hasExplicitLifetime(stored.headers) ? remainingLifetime(of: stored, at: now) : 0
  }

  /// The remaining lifetime in seconds that a response received now states; 0 if it forbids caching, `nil` if it says nothing.
  package func statedLifetime(of response: EntryMetadata) -> Double? {
    let control = CacheControl(response.headers)
    if control.forbidsStorage || control.requiresValidation { return 0 }
    return explicitLifetime(of: response, control).map { max(0, $0 - initialAge(of: response)) }
  }

  /// Whether a response states its freshness lifetime (RFC 9111, 4.2.1).
  func hasExplicitLifetime(_ headers: HTTPHeaders) -> Bool {
    let control = CacheControl(headers)
    return control.maxAge != nil || headers["Expires"] != nil || countsSharedMaxAge && control.sharedMaxAge != nil
  }

  /// The freshness lifetime of a stored response in seconds, counted from its `Date` (RFC 9111, 4.2.1 and 4.2.2).
  ///
  /// Redirects that led to it may end its freshness earlier.
  package func lifetime(of stored: EntryMetadata) -> Double { lifetime(of: stored, CacheControl(stored.headers)) }

  func lifetime(of stored: EntryMetadata, _ control: CacheControl) -> Double {
    if let seconds = explicitLifetime(of: stored, control) { return seconds }
    guard Self.storableStatuses.contains(stored.status) || control.isPublic else { return 0 }
    if lacksCachingFields(stored.headers) { return defaultLifetime.inSeconds }
    return max(heuristicLifetime(of: stored, since: date(of: stored)), lifetimeByValidator(of: stored))
  }

  private var countsSharedMaxAge: Bool { isShared || usesSharedMaxAge }

  /// The freshness lifetime that the fields of a response state; `nil` if they state none.
  func explicitLifetime(of stored: EntryMetadata, _ control: CacheControl) -> Double? {
    if countsSharedMaxAge, let seconds = control.sharedMaxAge { return Double(seconds) }
    if let seconds = control.maxAge { return Double(seconds) }
    guard let expires = stored.headers["Expires"] else { return nil }
    let end = HTTPDate.parse(expires, now: stored.responseDate)
    return end.map { max(0, $0.timeIntervalSince(date(of: stored))) } ?? 0
  }

  /// A tenth of the time since the last modification.
  private func heuristicLifetime(of stored: EntryMetadata, since date: Date) -> Double {
    guard let field = stored.headers["Last-Modified"],
      let modified = HTTPDate.parse(field, now: stored.responseDate)
    else { return 0 }
    return min(heuristicLifetimeLimit.inSeconds, max(0, date.timeIntervalSince(modified) / 10))
  }

  /// The age at the last validation and ``validatorLifetime``; 0 without a validator.
  private func lifetimeByValidator(of stored: EntryMetadata) -> Double {
    guard validatorLifetime > .zero, stored.headers["ETag"] != nil || stored.headers["Last-Modified"] != nil,
      !isPragmaNoCache(stored.headers)
    else { return 0 }
    return initialAge(of: stored) + validatorLifetime.inSeconds
  }

  /// The age of a stored response in seconds (RFC 9111, 4.2.3); `nil` if it was received over a minute in the future,
  /// because the clock was set back.
  package func age(of stored: EntryMetadata, at now: Date) -> Double? {
    let residentTime = now.timeIntervalSince(stored.responseDate)
    guard residentTime >= -Self.toleratedClockError else { return nil }
    return initialAge(of: stored) + max(0, residentTime)
  }

  /// The age of a response in seconds when it was received.
  private func initialAge(of stored: EntryMetadata) -> Double {
    let apparentAge = max(0, stored.responseDate.timeIntervalSince(date(of: stored)))
    let delay = max(0, stored.responseDate.timeIntervalSince(stored.requestDate))
    return max(apparentAge, ageValue(stored.headers["Age"]) + delay)
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

  private func lacksCachingFields(_ headers: HTTPHeaders) -> Bool {
    Self.cachingFields.allSatisfy { headers[$0] == nil }
  }
}
