public import HalcyonSupport
public import HalcyonHTTP
public import Foundation

/// An HTTP cache over a data store (RFC 9111), which moves no bytes over the network: the caller does, a pipeline
/// as well as a proxy.
///
/// Look up each request. If it must be sent, pass its response to ``outcome(of:to:)``; if the outcome is storable, call
/// ``store(_:body:)`` once the body is complete and valid.
///
/// ```swift
/// let cache = HTTPCache(store: DiskCache(directory: folder))
/// let lookup = await cache.lookUp("photos/1", requestHeaders: ["Accept": "image/*"], at: .now)
/// ```
///
/// A failed read of the store counts as a miss. A response without `Vary`, or the primary one of several variants,
/// takes one read. Calls may be made concurrently from several tasks; if two variants of a response are stored at the
/// same moment, one may be lost and is fetched again.
public struct HTTPCache: Sendable {
  /// The most variants stored for each key.
  public static let variantLimit = 8

  /// The rules that decide whether responses may be stored and served.
  public var rules: HTTPCacheRules
  let dataStore: any DataStore

  /// Creates a cache over a store, which may be used in other ways, too.
  public init(store: any DataStore, rules: HTTPCacheRules = HTTPCacheRules()) {
    dataStore = store
    self.rules = rules
  }

  /// Looks up the stored response for a request, and determines how to handle the request.
  ///
  /// - Parameters:
  ///   - key: Identifies the URL and everything else that distinguishes responses, except the fields of `Vary`.
  ///   - requestHeaders: The header fields of the request.
  ///   - policy: How the request uses a stored response.
  ///   - usesETags: Whether to revalidate with `ETag`; some servers use the same one for different responses.
  ///   - now: The current date.
  public func lookUp(
    _ key: CacheKey, requestHeaders: HTTPHeaders, policy: CachePolicy = .standard, usesETags: Bool = true,
    at now: Date
  ) async -> CacheLookup {
    let found = await find(key, requestHeaders: requestHeaders)
    let action = action(on: found.entry?.metadata, requestHeaders: requestHeaders, policy: policy, at: now)
    let mayRevalidate = policy != .reload
    var added = mayRevalidate ? found.entry?.metadata.validators ?? HTTPHeaders() : HTTPHeaders()
    if !usesETags { added["If-None-Match"] = nil }
    if policy.contactsServerFirst, requestHeaders["Cache-Control"] == nil { added["Cache-Control"] = "no-cache" }
    return CacheLookup(
      key: key, requestHeaders: requestHeaders, found: found, action: action, mayRevalidate: mayRevalidate,
      addedFields: added)
  }

  /// Determines how to handle a response, and updates or removes the stored responses that it renews or invalidates.
  ///
  /// A 304 to a request without validators of the cache is delivered: the client's own validators matched. All
  /// end-to-end fields of a response are stored: remove those that must not reach the disk, for example `Set-Cookie`.
  ///
  /// - Parameters:
  ///   - response: The head of the response, as metadata.
  ///   - lookup: The look-up that led to the request.
  public func outcome(of response: EntryMetadata, to lookup: CacheLookup) async -> ValidationOutcome {
    switch response.status {
    case 304 where lookup.isConditional:
      return await renewed(lookup, by: response).map { .serve($0) } ?? .fetchUnconditionally
    case 500, 502, 503, 504:
      if let stale = staleEntry(for: lookup, at: response.responseDate) { return .serve(stale) }
    case 404, 410:
      await remove(lookup.key, variants: lookup.variants)
    default: break
    }
    let storable = storable(response, to: lookup)
    if storable == nil, lookup.stored != nil, invalidatesStored(response, for: lookup) {
      // The primary variant lists the others, which cannot be found without it.
      await remove(lookup.storedKey, variants: lookup.storedKey == lookup.key ? lookup.variants : [])
    }
    return .deliver(storable)
  }

  /// The stored response, renewed by the head of a 304 and the redirects that led to it; `nil` if the 304 is for another
  /// response.
  ///
  /// - Parameter isStored: Whether the store gets the new head.
  package func renewed(
    _ lookup: CacheLookup, by head: EntryMetadata, isStored: Bool = true
  ) async -> StoredEntry? {
    guard var entry = lookup.stored,
      var renewed = entry.metadata.refreshed(
        by: head.headers, requestDate: head.requestDate, responseDate: head.responseDate),
      hasVariant(renewed.variant, of: head.redirects, to: lookup)
    else { return nil }
    renewed.redirects = head.redirects
    entry.metadata = renewed
    // The response is valid even if the store cannot be updated; the next request then revalidates again.
    if isStored { _ = try? await dataStore.updateMetadata(renewed, for: lookup.storedKey) }
    return entry
  }

  /// The stale response that may be served because the server cannot be reached or fails (5xx); `nil` without one.
  ///
  /// - Parameters:
  ///   - lookup: The look-up that led to the request.
  ///   - isOffline: Whether there is no network at all, which allows more stale responses (RFC 9111, 4.2.4).
  ///   - now: The current date.
  public func staleEntry(for lookup: CacheLookup, isOffline: Bool = false, at now: Date) -> StoredEntry? {
    guard let stored = lookup.stored,
      rules.allowsStaleIfError(stored.metadata, requestHeaders: lookup.requestHeaders, at: now, isOffline: isOffline)
    else { return nil }
    return stored
  }

  /// Stores a response.
  ///
  /// - Throws: The errors of the store.
  public func store(_ response: StorableResponse, body: Data) async throws {
    try await insert(response, body: body)
  }

  /// Removes all variants of the response stored under a key.
  ///
  /// - Throws: The errors of the store.
  public func removeResponses(for key: CacheKey) async throws {
    let variants = try await dataStore.metadata(for: key)?.variants ?? []
    for variant in variants { try await dataStore.removeEntry(for: key.variant(variant)) }
    try await dataStore.removeEntry(for: key)
  }
}

extension HTTPCache {
  private func action(
    on stored: EntryMetadata?, requestHeaders: HTTPHeaders, policy: CachePolicy, at now: Date
  ) -> CacheLookup.Action {
    let mayFetch = policy.usesNetwork && !CacheControl(requestHeaders).isOnlyIfCached
    guard let stored else { return mayFetch ? .fetch : .unavailable }
    switch policy {
    case .cacheFirst, .cacheOnly: return .serve
    case .reload: return mayFetch ? .fetch : .unavailable
    case .revalidate where rules.isReloadNeeded(stored, at: now): return mayFetch ? .fetch : .unavailable
    case .revalidate, .standard, .staleFirst: break
    }
    switch rules.verdict(on: stored, requestHeaders: requestHeaders, at: now) {
    case .fresh: return .serve
    case .staleWhileRevalidate: return mayFetch ? .serveStaleWhileRevalidating : .serve
    case .stale: return mayFetch ? .fetch : .unavailable
    }
  }

  /// Whether a response that is not storable invalidates the stored one: it is a complete newer response.
  private func invalidatesStored(_ response: EntryMetadata, for lookup: CacheLookup) -> Bool {
    (200..<300).contains(response.status) && response.status != 206
      && !CacheControl(lookup.requestHeaders).forbidsStorage
  }

  /// Whether the variant distinguishes all requests for which the redirects may differ.
  private func hasVariant(
    _ variant: VaryKey?, of redirects: [EntryMetadata.Redirect], to lookup: CacheLookup
  ) -> Bool {
    let needed = VaryKey(of: redirects.vary, requestHeaders: lookup.requestHeaders)?.fields ?? []
    return Set(needed).isSubset(of: variant?.fields ?? [])
  }

  private func storable(_ response: EntryMetadata, to lookup: CacheLookup) -> StorableResponse? {
    guard
      rules.isStorable(status: response.status, headers: response.headers, requestHeaders: lookup.requestHeaders),
      let variant = VaryKey(of: response.vary, requestHeaders: lookup.requestHeaders)
    else { return nil }
    var metadata = response
    metadata.headers = response.headers.endToEnd
    metadata.variant = variant.fields.isEmpty ? nil : variant
    return StorableResponse(
      metadata: metadata, key: lookup.key, requestHeaders: lookup.requestHeaders, knownVariants: lookup.variants)
  }

  /// Removes entries; one that cannot be removed now is revalidated by the next request, and removed then.
  private func remove(_ key: CacheKey, variants: [VaryKey]) async {
    for variant in variants { try? await dataStore.removeEntry(for: key.variant(variant)) }
    try? await dataStore.removeEntry(for: key)
  }
}

/// For servers that respond to clients from the cache.
extension HTTPCache {
  /// The header fields of a stored response as they are sent to a client: without connection fields, and with its `Age`
  /// (RFC 9111, 5.1).
  public func servedHeaders(of stored: EntryMetadata, at now: Date) -> HTTPHeaders {
    rules.servedHeaders(of: stored, at: now)
  }

  /// The fields without connection fields (RFC 9110, 7.6.1).
  public static func endToEnd(_ headers: HTTPHeaders) -> HTTPHeaders { headers.endToEnd }

  /// Whether the conditions of a request, `If-None-Match` or `If-Modified-Since`, make a 304 the response to it
  /// (RFC 9110, 13.1.2 and 13.1.3).
  public static func isNotModified(_ stored: EntryMetadata, for requestHeaders: HTTPHeaders) -> Bool {
    stored.isNotModified(for: requestHeaders)
  }
}
