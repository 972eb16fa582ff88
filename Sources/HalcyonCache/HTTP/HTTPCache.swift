public import HalcyonSupport
public import HalcyonHTTP
public import Foundation

/// HTTP caching over a store (RFC 9111): says what to do with requests and answers, and moves no bytes itself.
///
/// A request is looked up; where the server is asked, its answer is given to ``outcome(of:to:)``; an answer with a draft
/// is kept by ``store(_:body:)`` once its body has been read and found right.
///
/// ```swift
/// let cache = HTTPCache(store: disk)
/// let lookup = await cache.lookUp(key, requestHeaders: fields, at: now)
/// ```
///
/// A store that cannot be read is a store without the answer. An answer without `Vary`, and the first of several
/// variants, take one read. Calls may be made at once from several tasks; of two variants of one address that are
/// stored at the same moment one may be lost, which costs a fetch.
public struct HTTPCache: Sendable {
  /// The most variants that are kept of one address.
  public static let variantLimit = 8

  /// When answers may be kept and served.
  public var rules: HTTPCacheRules
  let dataStore: any DataStore

  /// Creates a cache over a store that others may use as well.
  public init(store: any DataStore, rules: HTTPCacheRules = HTTPCacheRules()) {
    dataStore = store
    self.rules = rules
  }

  /// What to do with a request.
  ///
  /// - Parameters:
  ///   - key: Stands for the address, and for all else that tells answers apart but what `Vary` tells.
  ///   - requestHeaders: The fields that are going to be sent.
  ///   - usesETags: Whether the server may be asked by `ETag`; some give the same one to different answers.
  public func lookUp(
    _ key: CacheKey, requestHeaders: HTTPHeaders, policy: FreshnessPolicy = .standard, usesETags: Bool = true,
    at now: Date
  ) async -> CacheLookup {
    let found = await find(key, requestHeaders: requestHeaders)
    let action = action(on: found.entry?.metadata, requestHeaders: requestHeaders, policy: policy, at: now)
    var added = policy == .reloadIgnoringCache ? HTTPHeaders() : found.entry?.metadata.validators ?? HTTPHeaders()
    if !usesETags { added["If-None-Match"] = nil }
    if policy.contactsServerFirst, requestHeaders["Cache-Control"] == nil { added["Cache-Control"] = "no-cache" }
    return CacheLookup(
      key: key, requestHeaders: requestHeaders, found: found, action: action, addedFields: added)
  }

  /// What to do with the head of an answer, as metadata made from it. What it renews or ends is changed in the store.
  ///
  /// A 304 that no validator of the cache asked for is delivered: it answers whoever sent the request. All fields of an
  /// answer are kept, but those about one connection: leave out what must not reach the disk, `Set-Cookie` for example.
  public func outcome(of answer: EntryMetadata, to lookup: CacheLookup) async -> ValidationOutcome {
    switch answer.status {
    case 304 where lookup.isConditional:
      return await renew(lookup, by: answer).map { .serve($0) } ?? .fetchUnconditionally
    case 500, 502, 503, 504:
      if let stale = staleEntry(for: lookup, at: answer.responseDate) { return .serve(stale) }
    case 404, 410:
      await remove(lookup.key, variants: lookup.variants)
    default: break
    }
    let draft = draft(of: answer, to: lookup)
    if draft == nil, lookup.stored != nil, isReplacement(answer, for: lookup) {
      // Without the first variant nobody finds the others.
      await remove(lookup.storedKey, variants: lookup.storedKey == lookup.key ? lookup.variants : [])
    }
    return .deliver(draft)
  }

  /// The stale answer that may be served because the server cannot be reached, or answers with an error of its own.
  ///
  /// - Parameter isOffline: There is no network at all: whatever may be served without one is (RFC 9111, 4.2.4).
  public func staleEntry(for lookup: CacheLookup, isOffline: Bool = false, at now: Date) -> StoredEntry? {
    guard let stored = lookup.stored,
      rules.allowsStaleIfError(stored.metadata, requestHeaders: lookup.requestHeaders, at: now, isOffline: isOffline)
    else { return nil }
    return stored
  }

  /// Keeps an answer.
  public func store(_ draft: StorableResponse, body: Data) async throws {
    try await place(draft, body: body)
  }

  /// Forgets all variants of an answer.
  public func removeResponses(for key: CacheKey) async throws {
    let variants = try await dataStore.metadata(for: key)?.variants ?? []
    for variant in variants { try await dataStore.removeEntry(for: key.variant(variant)) }
    try await dataStore.removeEntry(for: key)
  }
}

extension HTTPCache {
  private func action(
    on stored: EntryMetadata?, requestHeaders: HTTPHeaders, policy: FreshnessPolicy, at now: Date
  ) -> CacheLookup.Action {
    let mayAsk = policy.usesNetwork && !CacheControl(requestHeaders).isOnlyIfCached
    guard let stored else { return mayAsk ? .fetch : .unavailable }
    switch policy {
    case .cacheFirst, .cacheOnly: return .serve
    case .offline:
      let verdict = rules.verdict(on: stored, requestHeaders: requestHeaders, at: now)
      let isAllowed = verdict != .stale || rules.allowsStaleIfError(stored, at: now, isOffline: true)
      return isAllowed ? .serve : .unavailable
    case .reloadIgnoringCache: return mayAsk ? .fetch : .unavailable
    case .revalidate where rules.isReloadNeeded(stored, at: now): return mayAsk ? .fetch : .unavailable
    case .revalidate, .standard: break
    }
    switch rules.verdict(on: stored, requestHeaders: requestHeaders, at: now) {
    case .fresh: return .serve
    case .staleWhileRevalidate: return mayAsk ? .serveStaleWhileRevalidating : .serve
    case .stale: return mayAsk ? .fetch : .unavailable
    }
  }

  /// Whether an answer that is not kept still ends what is stored: it is whole, and its server wants none kept.
  private func isReplacement(_ answer: EntryMetadata, for lookup: CacheLookup) -> Bool {
    (200..<300).contains(answer.status) && answer.status != 206
      && !CacheControl(lookup.requestHeaders).forbidsStorage
  }

  private func renew(_ lookup: CacheLookup, by answer: EntryMetadata) async -> StoredEntry? {
    guard var entry = lookup.stored,
      let renewed = entry.metadata.refreshed(
        by: answer.headers, requestDate: answer.requestDate, responseDate: answer.responseDate)
    else { return nil }
    entry.metadata = renewed
    // The answer is right also where the store does not take the news; then the server is asked again next time.
    _ = try? await dataStore.updateMetadata(renewed, for: lookup.storedKey)
    return entry
  }

  private func draft(of answer: EntryMetadata, to lookup: CacheLookup) -> StorableResponse? {
    guard
      rules.isStorable(status: answer.status, headers: answer.headers, requestHeaders: lookup.requestHeaders),
      let variant = VariantKey(of: answer.headers, requestHeaders: lookup.requestHeaders)
    else { return nil }
    var metadata = answer
    metadata.headers = answer.headers.endToEnd
    metadata.variant = variant.fields.isEmpty ? nil : variant
    return StorableResponse(
      metadata: metadata, key: lookup.key, requestHeaders: lookup.requestHeaders, knownVariants: lookup.variants)
  }

  /// What cannot be removed now is asked for again next time, and removed then.
  private func remove(_ key: CacheKey, variants: [VariantKey]) async {
    for variant in variants { try? await dataStore.removeEntry(for: key.variant(variant)) }
    try? await dataStore.removeEntry(for: key)
  }
}
