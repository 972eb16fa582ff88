import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation

/// Gets the bodies of web addresses: from the store while they are fresh, else from their server.
///
/// Where nothing is waited for, functions are kept from being inlined: what they need meanwhile would have its place in
/// the frame of each load that waits, kilobytes in all.
final class CachingHTTPLoader: Sendable {
  /// Where to ask.
  enum Place: Sendable {
    case known(HTTPURL)
    /// To be found out, when no cache has the bytes.
    case unresolved(URLResolver)
  }

  /// What the store says about a request.
  private enum Finding {
    case served(EncodedImage)
    case asked(CacheLookup)
  }

  private let configuration: PipelineConfiguration
  private let live: InFlightResponses
  private let refreshed = Lock<Set<CacheKey>>([])

  /// What asks the servers.
  let web: RetryingHTTPLoader

  init(configuration: PipelineConfiguration, live: InFlightResponses) {
    self.configuration = configuration
    self.live = live
    web = RetryingHTTPLoader(configuration: configuration)
  }

  func body(
    for request: ImageRequest, key: CacheKey, interest: LoadSubscription, at place: Place
  ) async throws(ImageError) -> EncodedImage {
    if let body = liveBody(for: request, key: key) {
      configuration.tell(.joined(.bytes), to: interest)
      return body
    }
    var trace = LoadTrace()
    var lookup: CacheLookup?
    if let cache = cacheToAsk(request) {
      switch try await finding(request, key: key, in: cache, interest: interest, at: place, &trace) {
      case .served(let body): return body
      case .asked(let asked): lookup = asked
      }
    } else {
      configuration.tell(.storeMiss(.notRead), to: interest)
    }
    guard request.freshness.usesNetwork else { throw .notCached(key) }
    let order = try await order(request, key: key, lookup, at: place)
    return try await fetch(order, request, lookup, interest: interest, trace: &trace)
  }

  @inline(never)
  private func liveBody(for request: ImageRequest, key: CacheKey) -> EncodedImage? {
    guard request.cachePolicy.readsStore, !request.freshness.contactsServerFirst else { return nil }
    return live[configuration.liveKey(key, for: request)]
  }

  @inline(never)
  private func cacheToAsk(_ request: ImageRequest) -> HTTPCache? {
    guard request.cachePolicy.readsStore || request.cachePolicy.writesStore else { return nil }
    return configuration.httpCache(for: request)
  }

  @inline(never)
  private func finding(
    _ request: ImageRequest, key: CacheKey, in cache: HTTPCache, interest: LoadSubscription, at place: Place,
    _ trace: inout LoadTrace
  ) async throws(ImageError) -> Finding {
    let start = ContinuousClock.now
    let found = await cache.lookUp(
      key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
      usesETags: request.usesETags, at: configuration.time.now())
    trace.add(.storeRead, since: start, miss: request.cachePolicy.readsStore ? found.miss : .notRead)
    let body = request.cachePolicy.readsStore ? found.stored.flatMap { storedBody($0, trace: trace) } : nil
    configuration.tell(.found(answer(of: found, body, to: request)), to: interest)
    switch (found.action, body) {
    case (.unavailable, _): throw .notCached(found.key)
    case (.serve, let body?): return .served(body)
    case (.serveStaleWhileRevalidating, let body?):
      refresh(request, found, at: place)
      return .served(body)
    case (.fetch, _?): return .asked(found)
    // Nothing is stored that could be asked about: nothing at all, or no image, or it must not be read.
    case (_, nil): return .asked(found.plain)
    }
  }

  /// What the store has to say, as it is told to those who listen.
  private func answer(of lookup: CacheLookup, _ body: EncodedImage?, to request: ImageRequest) -> CacheResult<
    EncodedImage
  > {
    guard request.cachePolicy.readsStore else { return .miss(.notRead) }
    if let miss = lookup.miss { return .miss(miss) }
    return body.map { .hit($0) } ?? .miss(.damaged)
  }

  @inline(never)
  private func order(
    _ request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, at place: Place
  ) async throws(ImageError) -> HTTPRequest {
    switch place {
    case .known(let address): order(request, key: key, lookup, at: address)
    case .unresolved(let resolver): order(request, key: key, lookup, at: try await Self.address(from: resolver))
    }
  }

  private static func address(from resolver: URLResolver) async throws(ImageError) -> HTTPURL {
    let url: URL
    do {
      url = try await resolver.address()
      try Task.checkCancellation()
    } catch {
      throw ImageError(providing: resolver.key, error)
    }
    guard let url = HTTPURL(url) else { throw .invalidURL(url.absoluteString) }
    return url
  }

  @inline(never)
  private func order(
    _ request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, at address: HTTPURL
  ) -> HTTPRequest {
    var order = HTTPRequest(
      address: address, headers: request.headers.adding(configuration.headers), key: key,
      cachePolicy: request.cachePolicy, cache: configuration.originalCache(for: request),
      ignoresFailures: request.freshness.contactsServerFirst)
    order.cacheFields = lookup?.addedFields ?? HTTPHeaders()
    if lookup == nil, request.freshness.contactsServerFirst { order.cacheFields["Cache-Control"] = "no-cache" }
    return order
  }

  private func fetch(
    _ order: HTTPRequest, _ request: ImageRequest, _ lookup: CacheLookup?, interest: LoadSubscription,
    trace: inout LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    let answer: HTTPResult
    do throws(ImageError) {
      answer = try await web.load(order, interest: interest, trace: &trace)
    } catch {
      return try await body(instead: error, request, lookup, trace)
    }
    return try await body(of: answer, order, request, lookup, interest: interest, trace: &trace)
  }

  @inline(never)
  private func body(
    of answer: HTTPResult, _ order: HTTPRequest, _ request: ImageRequest, _ lookup: CacheLookup?,
    interest: LoadSubscription,
    trace: inout LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    switch answer {
    case .body(let body):
      let draft = lookup == nil ? nil : await draft(of: body, request, lookup)
      return fetched(body, request, key: order.key, draft, trace: trace)
    case .notModified(let head):
      guard let lookup else { throw .httpStatus(304, url: order.url) }
      if let body = await renewedBody(lookup, by: head, request, trace) { return body }
      return try await fetch(plain(order, lookup), request, lookup.plain, interest: interest, trace: &trace)
    }
  }

  private func plain(_ order: HTTPRequest, _ lookup: CacheLookup) -> HTTPRequest {
    var plain = order
    plain.cacheFields = lookup.plain.addedFields
    return plain
  }

  @inline(never)
  private func renewedBody(
    _ lookup: CacheLookup, by head: EntryMetadata, _ request: ImageRequest, _ trace: LoadTrace
  ) async -> EncodedImage? {
    guard case .serve(let entry)? = await configuration.httpCache(for: request)?.outcome(of: head, to: lookup) else {
      return nil
    }
    return storedBody(entry, trace: trace)
  }

  /// How a body may be stored; `nil` where it may not be.
  @inline(never)
  private func draft(of body: HTTPResponse, _ request: ImageRequest, _ lookup: CacheLookup?) async -> StorableResponse?
  {
    guard let lookup, let cache = configuration.httpCache(for: request),
      case .deliver(let offered) = await cache.outcome(of: body.metadata, to: lookup)
    else { return nil }
    return body.isStorable && request.cachePolicy.writesStore ? offered : nil
  }

  @inline(never)
  private func fetched(
    _ body: HTTPResponse, _ request: ImageRequest, key: CacheKey, _ draft: StorableResponse?, trace: LoadTrace
  ) -> EncodedImage {
    let liveKey = draft.map { _ in configuration.liveKey(key, for: request) }
    let isForbidden = CacheControl(body.metadata.headers).forbidsStorage && request.freshness != .cacheFirst
    let fetched = EncodedImage(
      data: body.data, metadata: body.metadata, info: body.info, origin: .network, draft: draft,
      freshEnd: freshEnd(body.metadata), mayStayInMemory: !isForbidden, trace: trace
    ) { [live] in if let liveKey { live.removeEnded(liveKey) } }
    if let liveKey { live.insert(fetched, for: liveKey) }
    return fetched
  }

  /// What is stored, where it may be shown although the server gave an error.
  @inline(never)
  private func body(
    instead error: ImageError, _ request: ImageRequest, _ lookup: CacheLookup?, _ trace: LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    guard let lookup, request.freshness != .reloadIgnoringCache,
      let stale = await entry(instead: error, request, lookup),
      let body = storedBody(stale, trace: trace)
    else { throw error }
    return body
  }

  /// What is stored and may be shown because the server cannot be asked, or fails. What is gone is removed.
  private func entry(
    instead error: ImageError, _ request: ImageRequest, _ lookup: CacheLookup
  ) async -> StoredEntry? {
    let now = configuration.time.now()
    let cache = configuration.httpCache(for: request)
    switch error {
    case .httpStatus(let status, let url):
      let head = EntryMetadata(url: url, status: status, requestDate: now, responseDate: now)
      guard case .serve(let entry)? = await cache?.outcome(of: head, to: lookup) else { return nil }
      return entry
    case .transport(let reason, _) where reason != .cancelled:
      let isOffline = configuration.showsStaleWhenUnreachable && error.isUnreachable
      return cache?.staleEntry(for: lookup, isOffline: isOffline, at: now)
    default:
      return nil
    }
  }

  /// Asks the server while what is stored is shown, once at a time for each key. Nobody waits but ``ImageCache/flush()``.
  private func refresh(_ request: ImageRequest, _ lookup: CacheLookup, at place: Place) {
    let key = lookup.key
    guard let cache = configuration.httpCache(for: request), refreshed.withLock({ $0.insert(key).inserted }) else {
      return
    }
    configuration.originalCache(for: request).writes.track { [self] in
      defer { refreshed.withLock { _ = $0.remove(key) } }
      guard let order = try? await order(request, key: key, lookup, at: place) else { return }
      var trace = LoadTrace()
      let answer = try? await web.load(order, interest: LoadSubscription(priority: .low), trace: &trace)
      switch answer {
      case .notModified(let head)?: _ = await cache.outcome(of: head, to: lookup)
      case .body(let body)?:
        if case .deliver(let draft?) = await cache.outcome(of: body.metadata, to: lookup), body.isStorable {
          try? await cache.store(draft, body: body.data)
        }
      case nil: break
      }
    }
  }

  /// A stored body, unless it is no image.
  @inline(never)
  func storedBody(_ entry: StoredEntry, trace: LoadTrace) -> EncodedImage? {
    guard let info = try? configuration.inspector(of: entry.metadata.url).info(of: entry.body) else {
      return nil
    }
    return EncodedImage(
      data: entry.body, metadata: entry.metadata, info: info, origin: .store, freshEnd: freshEnd(entry.metadata),
      trace: trace)
  }

  private func freshEnd(_ metadata: EntryMetadata) -> Duration {
    let seconds = configuration.httpCaching.remainingLifetime(of: metadata, at: configuration.time.now())
    return configuration.time.uptime() + .seconds(min(seconds, 1e9))
  }
}
