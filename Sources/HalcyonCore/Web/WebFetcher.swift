import Foundation

/// Gets the bodies of web addresses: from the store while they are fresh, else from their server.
final class WebFetcher: Sendable {
  typealias Address = @Sendable () async throws(ImageError) -> URL

  private let configuration: ImagePipeline.Configuration
  private let live: LiveBodies
  private let refreshed = Lock<Set<CacheKey>>([])

  /// What asks the servers.
  let web: WebLoader

  init(configuration: ImagePipeline.Configuration, live: LiveBodies) {
    self.configuration = configuration
    self.live = live
    web = WebLoader(configuration: configuration)
  }

  /// - Parameter address: Where to ask; called only when no cache has the bytes.
  func body(
    for request: ImageRequest, key: CacheKey, interest: LoadInterest, at address: @escaping Address
  ) async throws(ImageError) -> FetchedBody {
    if request.cachePolicy.readsStore, !request.freshness.asksFirst,
      let body = live[configuration.liveKey(key, for: request)]
    {
      configuration.tell(.joined(.bytes), to: interest)
      return body
    }
    var trace = LoadTrace()
    var lookup = await lookUp(request, key: key, trace: &trace)
    if let found = lookup {
      let body = request.cachePolicy.readsStore ? found.stored.flatMap { storedBody($0, trace: trace) } : nil
      configuration.tell(.found(answer(of: found, body, to: request)), to: interest)
      switch (found.action, body) {
      case (.unavailable, _): throw .notCached(key)
      case (.serve, let body?): return body
      case (.serveWhileAsking, let body?):
        refresh(request, key: key, found, at: address)
        return body
      case (.ask, _?): break
      // Nothing is stored that could be asked about: nothing at all, or no image, or it must not be read.
      case (_, nil): lookup = found.plain
      }
    } else {
      configuration.tell(.storeMiss(.notRead), to: interest)
    }
    guard request.freshness.usesNetwork else { throw .notCached(key) }
    let order = try await order(request, key: key, lookup, at: address)
    return try await fetch(order, request, lookup, interest: interest, trace: &trace)
  }

  private func lookUp(_ request: ImageRequest, key: CacheKey, trace: inout LoadTrace) async -> CacheLookup? {
    guard request.cachePolicy.readsStore || request.cachePolicy.writesStore,
      let cache = configuration.httpCache(for: request)
    else { return nil }
    let start = ContinuousClock.now
    let lookup = await cache.lookUp(
      key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
      usesETags: request.usesETags, at: configuration.time.now())
    trace.add(.storeRead, since: start, miss: request.cachePolicy.readsStore ? lookup.miss : .notRead)
    return lookup
  }

  /// What the store has to say, as it is told to those who listen.
  private func answer(of lookup: CacheLookup, _ body: FetchedBody?, to request: ImageRequest) -> TierAnswer<FetchedBody>
  {
    guard request.cachePolicy.readsStore else { return .miss(.notRead) }
    if let miss = lookup.miss { return .miss(miss) }
    return body.map { .hit($0) } ?? .miss(.damaged)
  }

  private func order(
    _ request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, at address: Address
  ) async throws(ImageError) -> WebOrder {
    var order = WebOrder(
      url: try await address(), headers: request.headers.adding(configuration.headers), key: key,
      cachePolicy: request.cachePolicy, cache: configuration.originalCache(for: request),
      ignoresFailures: request.freshness.asksFirst)
    order.cacheFields = lookup?.addedFields ?? [:]
    if lookup == nil, request.freshness.asksFirst { order.cacheFields["Cache-Control"] = "no-cache" }
    return order
  }

  private func fetch(
    _ order: WebOrder, _ request: ImageRequest, _ lookup: CacheLookup?, interest: LoadInterest,
    trace: inout LoadTrace
  ) async throws(ImageError) -> FetchedBody {
    let answer: WebAnswer
    do throws(ImageError) {
      answer = try await web.load(order, interest: interest, trace: &trace)
    } catch {
      guard let lookup, request.freshness != .refetch, let stale = await entry(instead: error, request, lookup),
        let body = storedBody(stale, trace: trace)
      else { throw error }
      return body
    }
    switch answer {
    case .body(let body):
      return await fetched(body, request, key: order.key, lookup, trace: trace)
    case .notModified(let head):
      guard let lookup else { throw .httpStatus(304, url: order.url) }
      if case .serve(let entry)? = await configuration.httpCache(for: request)?.outcome(of: head, to: lookup),
        let body = storedBody(entry, trace: trace)
      {
        return body
      }
      var plain = order
      plain.cacheFields = lookup.plain.addedFields
      return try await fetch(plain, request, lookup.plain, interest: interest, trace: &trace)
    }
  }

  private func fetched(
    _ body: WebBody, _ request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, trace: LoadTrace
  ) async -> FetchedBody {
    var draft: CacheDraft?
    if let lookup, let cache = configuration.httpCache(for: request),
      case .deliver(let offered) = await cache.outcome(of: body.metadata, to: lookup)
    {
      draft = body.isStorable && request.cachePolicy.writesStore ? offered : nil
    }
    let isForbidden = CacheControl(body.metadata.headers).forbidsStorage && request.freshness != .immutable
    let key = configuration.liveKey(key, for: request)
    let fetched = FetchedBody(
      data: body.data, metadata: body.metadata, info: body.info, origin: .network, draft: draft,
      freshEnd: freshEnd(body.metadata), mayStayInMemory: !isForbidden, trace: trace
    ) { [live] in live.removeEnded(key) }
    if draft != nil { live.insert(fetched, for: key) }
    return fetched
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
  private func refresh(_ request: ImageRequest, key: CacheKey, _ lookup: CacheLookup, at address: @escaping Address) {
    guard let cache = configuration.httpCache(for: request), refreshed.withLock({ $0.insert(key).inserted }) else {
      return
    }
    configuration.originalCache(for: request).writes.track { [self] in
      defer { refreshed.withLock { _ = $0.remove(key) } }
      guard let order = try? await order(request, key: key, lookup, at: address) else { return }
      var trace = LoadTrace()
      let answer = try? await web.load(order, interest: LoadInterest(priority: .low), trace: &trace)
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
  func storedBody(_ entry: StoredEntry, trace: LoadTrace) -> FetchedBody? {
    guard let info = try? ImageInspector(configuration, url: entry.metadata.url).info(of: entry.body) else {
      return nil
    }
    return FetchedBody(
      data: entry.body, metadata: entry.metadata, info: info, origin: .store, freshEnd: freshEnd(entry.metadata),
      trace: trace)
  }

  private func freshEnd(_ metadata: EntryMetadata) -> Duration {
    let seconds = configuration.httpCaching.remainingLifetime(of: metadata, at: configuration.time.now())
    return configuration.time.uptime() + .seconds(min(seconds, 1e9))
  }
}
