public import HalcyonHTTP

/// Whether a response may be stored (RFC 9111, 3).
extension HTTPCacheRules {
  /// Heuristically cacheable status codes (RFC 9110, 15.1), except 206 (Partial Content).
  static let storableStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

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
}
