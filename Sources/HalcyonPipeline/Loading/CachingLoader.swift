import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Gets the encoded bytes of a request: from a response in flight, from the store by HTTP's rules, or from the source.
/// Equal requests share one job.
///
/// Functions that do not wait are `@inline(never)`: their locals would else take space in the async frame of each load
/// that waits.
final class CachingLoader: Sendable {
  private struct JobKey: Hashable {
    let key: CacheKey
    let options: OptionsKey<FetchKey>

    /// Requests that differ in their options alone are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// The URL of a request, or the closure that resolves it when no cache has the image.
  private enum Location: Sendable {
    case known(HTTPURL)
    case unresolved(URLResolver)
  }

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

  let configuration: PipelineConfiguration
  let http: HTTPLoader
  let files = WorkerPool(name: "files", width: 2)
  private let jobs: InFlightJobs<JobKey, EncodedImage>
  let inFlight = InFlightResponses()
  private let revalidations = BackgroundRevalidations()

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    http = HTTPLoader(configuration: configuration)
    jobs = InFlightJobs(configuration.eventHandler == nil ? nil : .bytes)
  }

  /// Jobs and transfers that have not ended.
  var activeCount: Int { jobs.count + http.limiter.activeCount }

  /// Limits of concurrent transfers.
  var connectionLimits: ConnectionLimits {
    get { http.limiter.limits }
    set { http.limiter.limits = newValue }
  }

  /// How long failures are remembered.
  var failureLifetimes: FailureLifetimes {
    get { http.failures.lifetimes }
    set { http.failures.lifetimes = newValue }
  }

  /// Remembers for a short time that the bytes of a key cannot be used.
  func remember(_ error: ImageError, for key: CacheKey) { http.remember(error, for: key) }

  func cancelLoads(of source: String) {
    jobs.cancel { $0.key.source?.text == source }
  }

  /// Ends all loads, and lets the threads end.
  func invalidate() {
    jobs.invalidate()
    revalidations.invalidate()
    http.invalidate()
    files.close()
  }

  func encodedImage(
    for request: ImageRequest, key: CacheKey, subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    if LoadChain.isEmpty { return try await jobImage(for: request, key: key, subscription) }
    return try await chainedImage(for: request, key: key, subscription)
  }

  /// The image of a request that the closure of another load has led to.
  @inline(never)
  private func chainedImage(
    for request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    try await LoadChain.waiting(for: link(key)) { () async throws(ImageError) in
      try await jobImage(for: request, key: key, subscription)
    }
  }

  private func jobImage(
    for request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    let (jobKey, operation) = try job(for: request, key: key)
    return try await jobs.value(
      for: jobKey, subscription: subscription, keepsResult: true, writes: partialWrites(for: request),
      operation: operation)
  }

  /// The writes to which a cancelled load adds its partial response; `nil` if it stores none.
  @inline(never)
  private func partialWrites(for request: ImageRequest) -> BackgroundWrites? {
    switch request.source {
    case .provider, .decoded: return nil
    case .url, .string, .keyed, .data, .resolver: break
    }
    let cache = configuration.originalCache(for: request)
    return request.cachePolicy.writesStore && cache.store != nil ? cache.writes : nil
  }

  /// Identifies the loads of a key, for ``LoadChain``.
  func link(_ key: CacheKey) -> LoadChain.Link { LoadChain.Link(loader: ObjectIdentifier(self), key: key) }

  /// A stored image; `nil` if the entry is not an image.
  @inline(never)
  func storedImage(
    _ entry: StoredEntry, for request: ImageRequest, isFromHTTP: Bool, trace: LoadTrace
  ) -> EncodedImage? {
    let inspector = configuration.inspector(of: entry.metadata.url, decoder: request.optionsBox?.options.decoder)
    guard let info = try? inspector.info(of: entry.body) else { return nil }
    return EncodedImage(
      data: entry.body, metadata: entry.metadata, info: info, origin: .store,
      freshEnd: isFromHTTP ? freshEnd(entry.metadata) : nil, trace: trace)
  }

  @inline(never)
  private func job(
    for request: ImageRequest, key: CacheKey
  ) throws(ImageError) -> (JobKey, InFlightJobs<JobKey, EncodedImage>.Operation) {
    let source = try ResolvedSource(request.source)
    let operation: InFlightJobs<JobKey, EncodedImage>.Operation
    if case .web(let url) = source {
      operation = { [self] subscription throws(ImageError) in
        try await httpImage(for: request, key: key, subscription, at: .known(url))
      }
    } else {
      operation = { [self] subscription throws(ImageError) in
        try await image(from: source, request, key: key, subscription)
      }
    }
    return (JobKey(key: key, options: FetchKey.key(request)), operation)
  }

  /// All sources but URLs of the web, apart from that most frequent one to keep its async frame small.
  @inline(never)
  private func image(
    from source: ResolvedSource, _ request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    switch source {
    case .web(let url):
      return try await httpImage(for: request, key: key, subscription, at: .known(url))
    case .unresolved(let resolver):
      return try await httpImage(for: request, key: key, subscription, at: .unresolved(resolver))
    case .file(let path, let url):
      let data = try await LocalFile.read(
        path: path, url: url, byteLimit: configuration.limits.encodedByteCount, on: files)
      return try localImage(data, of: request, url: url, origin: .file)
    case .inline(let text, let url):
      return try localImage(try await DataURL.decode(text, on: files), of: request, url: url, origin: .inline)
    case .data(let data):
      return try localImage(data, of: request, url: nil, origin: .inline)
    case .provider(let provider):
      return try await providedImage(request, key: key, subscription) { () async throws(ImageError) in
        Provided(data: try await provider.providedData())
      }
    case .decoded(let provider):
      return try await providedImage(request, key: key, subscription) { [self] () async throws(ImageError) in
        try await encoded(provider.providedImage())
      }
    }
  }
}

/// URLs of the web: the store by HTTP's rules, then the server.
extension CachingLoader {
  private func httpImage(
    for request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription, at location: Location
  ) async throws(ImageError) -> EncodedImage {
    var trace = LoadTrace()
    switch try await step(for: request, key: key, subscription, at: location, &trace) {
    case .served(let image): return image
    case .fetch(let fetch): return try await image(from: fetch, subscription, trace: &trace)
    }
  }

  /// The image of a response in flight or in the store; else the request to send.
  @inline(never)
  private func step(
    for request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription, at location: Location,
    _ trace: inout LoadTrace
  ) async throws(ImageError) -> Step {
    if let image = inFlightImage(for: request, key: key) {
      configuration.report(.joined(.bytes), to: subscription)
      return .served(image)
    }
    var lookup: CacheLookup?
    if let cache = cacheInUse(by: request) {
      switch try await lookUp(request, key: key, in: cache, subscription, at: location, &trace) {
      case .served(let image): return .served(image)
      case .fetch(let found): lookup = found
      }
    } else {
      configuration.report(.storeMiss(.notRead), to: subscription)
    }
    guard request.freshness.usesNetwork else { throw .notCached(key) }
    let httpRequest = try await httpRequest(for: request, key: key, lookup, at: location)
    return .fetch(Fetch(httpRequest, of: request, lookup))
  }

  @inline(never)
  private func inFlightImage(for request: ImageRequest, key: CacheKey) -> EncodedImage? {
    guard request.cachePolicy.readsStore, !request.freshness.contactsServerFirst else { return nil }
    return inFlight[configuration.inFlightKey(key, for: request)]
  }

  @inline(never)
  private func cacheInUse(by request: ImageRequest) -> HTTPCache? {
    guard request.cachePolicy.readsStore || request.cachePolicy.writesStore else { return nil }
    return configuration.httpCache(for: request)
  }

  @inline(never)
  private func lookUp(
    _ request: ImageRequest, key: CacheKey, in cache: HTTPCache, _ subscription: LoadSubscription,
    at location: Location, _ trace: inout LoadTrace
  ) async throws(ImageError) -> StoreLookup {
    let start = ContinuousClock.now
    let (found, tier) = await TierTrace.recording {
      await cache.lookUp(
        key, requestHeaders: request.headers.adding(configuration.headers), policy: request.freshness,
        usesETags: request.usesETags, at: configuration.time.now())
    }
    let readsStore = request.cachePolicy.readsStore
    trace.add(.storeRead, since: start, miss: readsStore ? found.miss : .notRead, tier: tier)
    let image =
      readsStore ? found.stored.flatMap { storedImage($0, for: request, isFromHTTP: true, trace: trace) } : nil
    let miss: CacheMiss? = readsStore ? found.miss ?? (image == nil ? .damaged : nil) : .notRead
    report(miss, image, to: subscription)
    switch (found.action, image) {
    case (.unavailable, _): throw .notCached(found.key)
    case (.serve, let image?): return .served(image)
    // Only a GET can be revalidated.
    case (.serveStaleWhileRevalidating, _?) where request.optionsBox?.content != nil,
      (.fetch, _?) where request.optionsBox?.content != nil:
      return .fetch(found.unconditional)
    case (.serveStaleWhileRevalidating, let image?):
      revalidate(request, found, at: location)
      return .served(image)
    case (.fetch, _?):
      if request.freshness != .reloadIgnoringCache { subscription.report(.storedStale) }
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
  private func httpRequest(
    for request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, at location: Location
  ) async throws(ImageError) -> HTTPRequest {
    switch location {
    case .known(let url): return httpRequest(for: request, key: key, lookup, to: url)
    case .unresolved(let resolver):
      let url = try await LoadChain.calling(for: link(key)) { () async throws(ImageError) in
        try await resolver.resolvedURL()
      }
      return httpRequest(for: request, key: key, lookup, to: url)
    }
  }

  @inline(never)
  private func httpRequest(
    for request: ImageRequest, key: CacheKey, _ lookup: CacheLookup?, to url: HTTPURL
  ) -> HTTPRequest {
    var cacheFields = lookup?.addedFields ?? HTTPHeaders()
    if lookup == nil, request.freshness.contactsServerFirst { cacheFields["Cache-Control"] = "no-cache" }
    return HTTPRequest(request, to: url, key: key, cacheFields: cacheFields, configuration)
  }

  private func image(
    from fetch: Fetch, _ subscription: LoadSubscription, trace: inout LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    let result: HTTPResult
    do throws(ImageError) {
      result = try await http.load(fetch.httpRequest, subscription: subscription, trace: &trace)
    } catch {
      return try await staleImage(insteadOf: error, fetch.request, fetch.lookup, trace)
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
      let storable = fetch.lookup == nil ? nil : await storable(response, request, fetch.lookup)
      return fetchedImage(response, request, key: httpRequest.key, storable, trace: trace)
    case .notModified(let head):
      guard let lookup = fetch.lookup else { throw .httpStatus(304, url: httpRequest.url) }
      if let image = await revalidatedImage(lookup, by: head, request, trace) { return image }
      let unconditional = lookup.unconditional
      let again = self.httpRequest(for: request, key: httpRequest.key, unconditional, to: httpRequest.target)
      return try await image(from: Fetch(again, of: request, unconditional), subscription, trace: &trace)
    }
  }

  @inline(never)
  private func revalidatedImage(
    _ lookup: CacheLookup, by head: EntryMetadata, _ request: ImageRequest, _ trace: LoadTrace
  ) async -> EncodedImage? {
    guard case .serve(let entry)? = await configuration.httpCache(for: request)?.outcome(of: head, to: lookup) else {
      return nil
    }
    return storedImage(entry, for: request, isFromHTTP: true, trace: trace)
  }

  /// How a response is stored; `nil` if it must not be.
  @inline(never)
  private func storable(
    _ response: HTTPResponse, _ request: ImageRequest, _ lookup: CacheLookup?
  ) async -> StorableResponse? {
    guard let lookup, let cache = configuration.httpCache(for: request),
      case .deliver(let storable) = await cache.outcome(of: response.metadata, to: lookup)
    else { return nil }
    return response.isStorable && request.cachePolicy.writesStore ? storable : nil
  }

  @inline(never)
  private func fetchedImage(
    _ response: HTTPResponse, _ request: ImageRequest, key: CacheKey, _ storable: StorableResponse?, trace: LoadTrace
  ) -> EncodedImage {
    let inFlightKey = storable.map { _ in configuration.inFlightKey(key, for: request) }
    let forbidsStorage = CacheControl(response.metadata.headers).forbidsStorage
    let image = EncodedImage(
      data: response.data, metadata: response.metadata, info: response.info, origin: .network, storable: storable,
      freshEnd: freshEnd(response.metadata), allowsMemory: !forbidsStorage || request.freshness == .cacheFirst,
      trace: trace
    ) { [inFlight] in if let inFlightKey { inFlight.removeReleased(inFlightKey) } }
    if let inFlightKey { inFlight.insert(image, for: inFlightKey) }
    return image
  }

  /// The stored image, if it may be served although the server cannot be reached or answered with an error.
  @inline(never)
  private func staleImage(
    insteadOf error: ImageError, _ request: ImageRequest, _ lookup: CacheLookup?, _ trace: LoadTrace
  ) async throws(ImageError) -> EncodedImage {
    guard let lookup, request.freshness != .reloadIgnoringCache,
      let entry = await staleEntry(insteadOf: error, request, lookup),
      let image = storedImage(entry, for: request, isFromHTTP: true, trace: trace)
    else { throw error }
    return image
  }

  private func staleEntry(
    insteadOf error: ImageError, _ request: ImageRequest, _ lookup: CacheLookup
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

  /// Revalidates a stale entry in the background.
  private func revalidate(_ request: ImageRequest, _ lookup: CacheLookup, at location: Location) {
    let key = configuration.inFlightKey(lookup.key, for: request)
    guard let cache = configuration.httpCache(for: request) else { return }
    revalidations.start(key, trackedBy: configuration.originalCache(for: request).writes) { [self] in
      guard let httpRequest = try? await httpRequest(for: request, key: lookup.key, lookup, at: location) else {
        return
      }
      var trace = LoadTrace()
      let result = try? await http.load(httpRequest, subscription: LoadSubscription(priority: .low), trace: &trace)
      switch result {
      case .notModified(let head)?: _ = await cache.outcome(of: head, to: lookup)
      case .response(let response)?:
        if case .deliver(let storable?) = await cache.outcome(of: response.metadata, to: lookup), response.isStorable {
          // Completed even if the pipeline is invalidated meanwhile.
          _ = await Task { try await cache.store(storable, body: response.data) }.result
        }
      case nil: break
      }
    }
  }

  private func freshEnd(_ metadata: EntryMetadata) -> Duration {
    let seconds = configuration.httpCaching.remainingLifetime(of: metadata, at: configuration.time.now())
    return configuration.time.uptime() + .seconds(min(seconds, 1e9))
  }
}
