package import Foundation
package import HalcyonHTTP

/// Redirects that led to a stored response: each is a response with a freshness of its own.
extension HTTPCacheRules {
  /// A stored response, or a redirect that led to it.
  struct Hop {
    let response: EntryMetadata
    let control: CacheControl
    /// The freshness lifetime in seconds.
    let lifetime: Double
  }

  func hops(of stored: EntryMetadata) -> [Hop] {
    let control = CacheControl(stored.headers)
    return [Hop(response: stored, control: control, lifetime: lifetime(of: stored, control))]
      + stored.redirects.map { hop($0) }
  }

  func hop(_ redirect: EntryMetadata.Redirect) -> Hop {
    let response = EntryMetadata(
      status: redirect.status, headers: redirect.headers, requestDate: redirect.requestDate,
      responseDate: redirect.responseDate)
    let control = CacheControl(redirect.headers)
    let lifetime = explicitLifetime(of: response, control) ?? heuristicLifetime(ofRedirect: response)
    return Hop(response: response, control: control, lifetime: lifetime)
  }

  /// Without a lifetime of its own a permanent redirect is always fresh, as in browsers, and a temporary one never
  /// (RFC 9111, 4.2.2; RFC 9110, 15.4).
  private func heuristicLifetime(ofRedirect response: EntryMetadata) -> Double {
    guard [301, 308].contains(response.status), !isPragmaNoCache(response.headers) else { return 0 }
    return heuristicLifetimeLimit > .zero ? .infinity : defaultLifetime.inSeconds
  }

  /// Whether a redirect that led to a stored response is fresh for a request, so that its URL need not be requested.
  package func isFresh(_ redirect: EntryMetadata.Redirect, requestHeaders: HTTPHeaders, at now: Date) -> Bool {
    verdict(on: hop(redirect), requestHeaders: requestHeaders, at: now) == .fresh
  }

  /// A redirect as it is stored with the response that it led to; one that must not be stored is requested each time.
  package func stored(
    _ redirect: EntryMetadata.Redirect, requestHeaders: HTTPHeaders
  ) -> EntryMetadata.Redirect {
    var stored = redirect.withStoredFields
    let isForbidden = forbidsStoring(status: redirect.status, headers: redirect.headers, requestHeaders: requestHeaders)
    let matchesNoOther = VaryKey(of: redirect.headers, requestHeaders: requestHeaders) == nil
    let hasCredentials = redirect.headers["Location"].flatMap { URL(string: $0) }?.hasCredentials ?? false
    if isForbidden || matchesNoOther || hasCredentials {
      stored.headers = ["Cache-Control": "no-cache"]
    }
    return stored
  }
}
