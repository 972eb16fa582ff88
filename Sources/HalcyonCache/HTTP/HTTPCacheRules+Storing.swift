package import HalcyonHTTP

/// Whether a response may be stored (RFC 9111, 3).
extension HTTPCacheRules {
  /// Heuristically cacheable status codes (RFC 9110, 15.1), except 206 (Partial Content).
  static let storableStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

  /// Those of the way to the server, and of the client's behaviour: 407 of a proxy (RFC 9110, 15.5.8), 428, 429, 431 and 511
  /// (RFC 6585, 3 to 6).
  private static let unstorableStatuses: Set<Int> = [206, 304, 407, 428, 429, 431, 511]

  /// Whether the response to a GET may be stored (RFC 9111, 3).
  package func isStorable(status: Int, headers: HTTPHeaders, requestHeaders: HTTPHeaders) -> Bool {
    guard status >= 200, !Self.unstorableStatuses.contains(status),
      !forbidsStoring(status: status, headers: headers, requestHeaders: requestHeaders)
    else { return false }
    return Self.storableStatuses.contains(status) || hasExplicitLifetime(headers) || CacheControl(headers).isPublic
  }

  /// Whether the response to a GET may be stored, and matches other requests (RFC 9111, 3 and 4.1).
  package func isStorable(_ response: EntryMetadata, requestHeaders: HTTPHeaders) -> Bool {
    isStorable(status: response.status, headers: response.headers, requestHeaders: requestHeaders)
      && VaryKey(of: response.vary, requestHeaders: requestHeaders) != nil
  }

  /// Whether the directives of the request or the response forbid storing it in this cache.
  func forbidsStoring(status: Int, headers: HTTPHeaders, requestHeaders: HTTPHeaders) -> Bool {
    let response = CacheControl(headers)
    let isForbidden =
      response.requiresKnownStatus ? !Self.storableStatuses.contains(status) : response.forbidsStorage
    if isForbidden || CacheControl(requestHeaders).forbidsStorage { return true }
    guard isShared else { return false }
    let allowsCredentials = response.isPublic || response.forbidsStale || response.sharedMaxAge != nil
    return response.isPrivate || requestHeaders["Authorization"] != nil && !allowsCredentials
  }
}
