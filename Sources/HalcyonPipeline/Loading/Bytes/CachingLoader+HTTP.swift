import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// URLs of the web: the store by HTTP's rules, then the server.
extension CachingLoader {
  /// The outcome of a look-up in the store.
  private enum StoreLookup {
    case served(EncodedImage)
    case fetch(CacheLookup)
  }

  /// A request to the server, and the look-up in the store that preceded it. A class: a load that waits keeps a reference
  /// in its async frame.
  private final class Fetch: Sendable {
    let httpRequest: HTTPRequest
    let request: ImageRequest
    /// `nil` without a store.
    let lookup: CacheLookup?

    var watch: RemovalWatch { httpRequest.watch }

    init(_ httpRequest: HTTPRequest, of request: ImageRequest, _ lookup: CacheLookup?) {
      self.httpRequest = httpRequest
      self.request = request
      self.lookup = lookup
    }
  }

  /// How a load of a URL goes on.
  private enum Step {
    case served(EncodedImage)
    case fetch(Fetch)
  }

  func httpImage(
    for request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription, at location: Location,
    _ watch: RemovalWatch
  ) async throws(ImageError) -> EncodedImage {
    var trace = LoadTrace()
    switch try await step(for: request, key: key, subscription, at: location, watch, &trace) {
    case .served(let image): return image
    case .fetch(let fetch): return try await image(from: fetch, subscription, trace: &trace)
    }
  }

  /// The image of a response in flight or in the store; else the request to send.
  @inline(never)
  private func step(
    for request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription, at location: Location,
    _ watch: RemovalWatch, _ trace: inout LoadTrace
  ) async throws(ImageError) -> Step {
    if let image = inFlightImage(for: request, key: key, watch) {
      if image.isServed(by: request.freshness, at: configuration.time.uptime()) {
        configuration.report(.joined(.bytes), to: subscription)
        return .served(image)
      }
      try await image.waitForWriting()
    }
    var lookup: CacheLookup?
    if let cache = cacheInUse(by: request) {
      switch try await lookUp(request, key: key, in: cache, subscription, at: location, watch, &trace) {
      case .served(let image): return .served(image)
      case .fetch(let found): lookup = found
      }
    } else {
      configuration.report(.storeMiss(.notRead), to: subscription)
    }
    guard request.freshness.usesNetwork else { throw .notCached(key: key.sourceText) }
    let httpRequest = try await httpRequest(for: request, key: key, lookup, at: location, watch)
    return .fetch(Fetch(httpRequest, of: request, lookup))
  }

  @inline(never)
  private func inFlightImage(for request: ImageRequest, key: CacheKey, _ watch: RemovalWatch) -> EncodedImage? {
    guard request.readsStore, !request.freshness.contactsServerFirst else { return nil }
    return inFlight[configuration.inFlightKey(key, for: request, watch)]
  }

  @inline(never)
  private func cacheInUse(by request: ImageRequest) -> HTTPCache? {
    guard request.readsStore || request.writesStore else { return nil }
    return configuration.httpCache(for: request)
  }

  @inline(never)
  private func lookUp(
    _ request: ImageRequest, key: CacheKey, in cache: HTTPCache, _ subscription: LoadSubscription,
    at location: Location, _ watch: RemovalWatch, _ trace: inout LoadTrace
  ) async throws(ImageError) -> StoreLookup {
    let start = ContinuousClock.now
    let (found, tier) = await TierTrace.recording {
      await cache.lookUp(
        key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
        usesETags: request.revalidatesByETag, at: configuration.time.now())
    }
    let readsStore = request.readsStore
    trace.add(.storeRead, since: start, miss: readsStore ? found.miss : .notRead, tier: tier)
    let entry = readsStore ? found.stored : nil
    let image = entry.flatMap { storedImage($0, for: request, isFromHTTP: true, trace: trace, watch) }
    let miss: CacheMiss? = readsStore ? found.miss ?? (image == nil ? .damaged : nil) : .notRead
    report(miss, image, to: subscription)
    switch (found.action, image) {
    case (.unavailable, _): throw .notCached(key: found.key.sourceText)
    case (.serve, let image?): return .served(image)
    // Only a GET can be revalidated.
    case (.serveStaleWhileRevalidating, _?) where request.optionsBox?.content != nil,
      (.fetch, _?) where request.optionsBox?.content != nil:
      return .fetch(found.unconditional)
    case (.serveStaleWhileRevalidating, let image?):
      revalidate(request, found, at: location, watch)
      return .served(image)
    case (.fetch, _?):
      if request.freshness != .reload { subscription.report(.storedStale) }
      return .fetch(found)
    // Nothing stored can be revalidated: there is no entry, it is not an image, or it must not be read.
    case (_, nil): return .fetch(found.unconditional)
    }
  }

  func report(_ miss: CacheMiss?, _ image: EncodedImage?, to subscription: LoadSubscription) {
    configuration.report(
      miss.map { .storeMiss($0) } ?? .storeHit(byteCount: image?.data.count ?? 0), to: subscription)
  }

  @inline(never)
  func httpRequest(
    for request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, at location: Location, _ watch: RemovalWatch
  ) async throws(ImageError) -> HTTPRequest {
    switch location {
    case .known(let url): return httpRequest(for: request, key: key, lookup, to: url, watch)
    case .unresolved(let resolver):
      let url = try await LoadChain.calling(for: link(key)) { () async throws(ImageError) in
        try await resolver.resolvedURL()
      }
      return httpRequest(for: request, key: key, lookup, to: url, watch)
    }
  }

  @inline(never)
  private func httpRequest(
    for request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, to url: HTTPURL, _ watch: RemovalWatch
  ) -> HTTPRequest {
    HTTPRequest(request, to: url, key: key, after: lookup, watch, configuration)
  }

  private func image(
    from fetch: Fetch, _ subscription: LoadSubscription, trace: inout LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    let result: HTTPResult
    do throws(ImageError) {
      result = try await http.load(fetch.httpRequest, subscription: subscription, trace: &trace)
    } catch {
      return try await staleImage(insteadOf: error, fetch, trace)
    }
    return try await image(of: result, from: fetch, subscription, trace: &trace)
  }

  @inline(never)
  private func image(
    of result: HTTPResult, from fetch: Fetch, _ subscription: LoadSubscription, trace: inout LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    let (httpRequest, request) = (fetch.httpRequest, fetch.request)
    switch result {
    case .response(let response):
      if response.metadata.status >= 300, let stale = await staleImage(insteadOf: response, fetch, trace) {
        return stale
      }
      let storable = fetch.lookup == nil ? nil : await storable(response, request, fetch.lookup)
      return fetchedImage(response, request, key: httpRequest.key, storable, trace: trace, fetch.watch)
    case .notModified(let head, let isStorable):
      guard let lookup = fetch.lookup else { throw .httpStatus(304, url: httpRequest.url) }
      let cache = configuration.httpCache(for: request)
      let isStored = isStorable && !fetch.watch.isRemovedFromStore
      if let entry = await cache?.renewed(lookup, by: head, isStored: isStored),
        let image = storedImage(entry, for: request, isFromHTTP: true, trace: trace, fetch.watch)
      {
        return image
      }
      let unconditional = lookup.unconditional
      let again = self.httpRequest(
        for: request, key: httpRequest.key, unconditional, to: httpRequest.target, fetch.watch)
      return try await image(from: Fetch(again, of: request, unconditional), subscription, trace: &trace)
    }
  }

  /// How a response is stored; `nil` if it must not be.
  @inline(never)
  private func storable(
    _ response: HTTPResponse, _ request: ImageRequest, _ lookup: CacheLookup?
  ) async -> StorableResponse? {
    guard let lookup, let cache = configuration.httpCache(for: request),
      case .deliver(let storable) = await cache.outcome(of: response.metadata, to: lookup)
    else { return nil }
    return response.isStorable && request.writesStore ? storable : nil
  }

  @inline(never)
  private func fetchedImage(
    _ response: HTTPResponse, _ request: ImageRequest, key: CacheKey, _ storable: StorableResponse?, trace: LoadTrace,
    _ watch: RemovalWatch
  ) -> EncodedImage {
    let inFlightKey = storable.map { _ in configuration.inFlightKey(key, for: request, watch) }
    let forbidsStorage = CacheControl(response.metadata.headers).forbidsStorage
    let image = EncodedImage(
      data: response.data, metadata: response.metadata, info: response.info, origin: .network, storable: storable,
      freshEnd: freshEnd(response.metadata),
      allowsMemory: response.metadata.expiration != .expired && (!forbidsStorage || request.freshness == .cacheFirst),
      trace: trace, watch: watch
    ) { [inFlight] in if let inFlightKey { inFlight.removeReleased(inFlightKey) } }
    if let inFlightKey { inFlight.insert(image, for: inFlightKey) }
    return image
  }

  /// The stored image, if it may be served although the server cannot be reached or answered with an error.
  @inline(never)
  private func staleImage(
    insteadOf error: ImageError, _ fetch: Fetch, _ trace: LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    let request = fetch.request
    guard let lookup = fetch.lookup, request.freshness != .reload,
      let entry = await staleEntry(insteadOf: error, request, lookup),
      let image = storedImage(entry, for: request, isFromHTTP: true, trace: trace, fetch.watch)
    else { throw error }
    return image
  }

  /// The stored image, if it may be served although the server answered with an error that has an image of its own.
  private func staleImage(insteadOf response: HTTPResponse, _ fetch: Fetch, _ trace: LoadTrace) async -> EncodedImage? {
    let url = response.metadata.url ?? fetch.httpRequest.url
    return try? await staleImage(insteadOf: .httpStatus(response.metadata.status, url: url), fetch, trace)
  }

  private func staleEntry(
    insteadOf error: ImageError, _ request: ImageRequest, _ lookup: CacheLookup
  ) async -> StoredEntry? {
    let now = configuration.time.now()
    let cache = configuration.httpCache(for: request)
    switch error {
    case .httpStatus(let status, let url), .retryLater(_, let status, let url):
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
}
