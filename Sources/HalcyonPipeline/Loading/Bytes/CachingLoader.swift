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
    let removals: UInt64

    /// Requests that differ in their options alone are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// The URL of a request, or the closure that resolves it when no cache has the image.
  enum Location: Sendable {
    case known(HTTPURL)
    case unresolved(ImageSource.Provider<URL>)
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

  /// The sources of all jobs, URLs and keys.
  var activeSources: Set<String> { Set(jobs.keys.map { $0.key.sourceText }) }

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
  func remember(_ error: ImageError, for key: CacheKey, of encoded: EncodedImage) {
    http.failures.remember(error, for: key, atMost: configuration.lifetime(of: encoded.metadata.redirects))
  }

  func cancelLoads(of source: String) {
    jobs.cancel { $0.key.sourceText == source }
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
    switch request.source.kind {
    case .provider, .decoded: return nil
    case .url, .string, .keyed, .data, .resolver: break
    }
    let cache = configuration.cache(for: request)
    return request.writesStore && cache.encodedStore != nil ? cache.writes : nil
  }

  /// Identifies the loads of a key, for ``LoadChain``.
  func link(_ key: CacheKey) -> LoadChain.Link { LoadChain.Link(loader: ObjectIdentifier(self), key: key) }

  /// A stored image; `nil` if the entry is not an image.
  @inline(never)
  func storedImage(
    _ entry: StoredEntry, for request: ImageRequest, isFromHTTP: Bool, trace: LoadTrace, _ watch: RemovalWatch
  ) -> EncodedImage? {
    let inspector = configuration.inspector(of: entry.metadata.url, decoder: request.optionsBox?.options.decoder)
    guard let info = try? inspector.info(of: entry.body) else { return nil }
    return EncodedImage(
      data: entry.body, metadata: entry.metadata, info: info, origin: .store,
      freshEnd: isFromHTTP ? freshEnd(entry.metadata) : nil, trace: trace, watch: watch)
  }

  @inline(never)
  private func job(
    for request: ImageRequest, key: CacheKey
  ) throws(ImageError) -> (JobKey, InFlightJobs<JobKey, EncodedImage>.Operation) {
    let source = try ResolvedSource(request.source)
    let watch = configuration.watch(key, for: request)
    let operation: InFlightJobs<JobKey, EncodedImage>.Operation
    if case .web(let url) = source {
      operation = { [self] subscription throws(ImageError) in
        try await httpImage(for: request, key: key, subscription, at: .known(url), watch)
      }
    } else {
      operation = { [self] subscription throws(ImageError) in
        try await image(from: source, request, key: key, subscription, watch)
      }
    }
    return (JobKey(key: key, options: FetchKey.key(request), removals: watch.removals.store), operation)
  }

  /// All sources but URLs of the web, apart from that most frequent one to keep its async frame small.
  @inline(never)
  private func image(
    from source: ResolvedSource, _ request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription,
    _ watch: RemovalWatch
  ) async throws(ImageError) -> EncodedImage {
    switch source {
    case .web(let url):
      return try await httpImage(for: request, key: key, subscription, at: .known(url), watch)
    case .unresolved(let resolver):
      return try await httpImage(for: request, key: key, subscription, at: .unresolved(resolver), watch)
    case .file(let path, let url):
      let data = try await LocalFile.read(
        path: path, url: url, byteLimit: configuration.limits.encodedByteCount, on: files)
      return try localImage(data, of: request, url: url, origin: .file, watch)
    case .inline(let text, let url):
      return try localImage(
        try await DataURL.decode(text, on: files), of: request, url: url, origin: .inline, watch)
    case .data(let data):
      return try localImage(data, of: request, url: nil, origin: .inline, watch)
    case .provider(let provider):
      return try await providedImage(request, key: key, subscription, watch) { () async throws(ImageError) in
        Provided(data: try await provider.provided())
      }
    case .decoded(let provider):
      return try await providedImage(request, key: key, subscription, watch) { [self] () async throws(ImageError) in
        try await encoded(provider.provided())
      }
    }
  }

  /// Revalidates a stale entry in the background.
  func revalidate(_ request: ImageRequest, _ lookup: CacheLookup, at location: Location, _ watch: RemovalWatch) {
    let key = configuration.inFlightKey(lookup.key, for: request, watch)
    revalidations.start(key, trackedBy: configuration.cache(for: request).writes) { [self] in
      await updateStore(request, lookup, at: location, watch)
    }
  }

  private func updateStore(
    _ request: ImageRequest, _ lookup: CacheLookup, at location: Location, _ watch: RemovalWatch
  ) async {
    guard let cache = configuration.httpCache(for: request),
      let httpRequest = try? await httpRequest(for: request, key: lookup.key, lookup, at: location, watch)
    else { return }
    var trace = LoadTrace()
    switch try? await http.load(httpRequest, subscription: LoadSubscription(priority: .low), trace: &trace) {
    case .notModified(let head, let isStorable)?:
      let isStored = isStorable && !watch.isRemovedFromStore
      if await cache.renewed(lookup, by: head, isStored: isStored) == nil {
        await updateStore(request, lookup.unconditional, at: location, watch)
      }
    case .response(let response)?:
      if case .deliver(let storable?) = await cache.outcome(of: response.metadata, to: lookup), response.isStorable,
        request.writesStore, !watch.isRemovedFromStore
      {
        // Completed even if the pipeline is invalidated meanwhile.
        _ = await Task { try await cache.store(storable, body: response.data) }.result
      }
    case nil: break
    }
  }

  func freshEnd(_ metadata: EntryMetadata) -> Duration {
    let seconds = configuration.httpCaching.remainingLifetime(of: metadata, at: configuration.time.now())
    return configuration.time.uptime() + .seconds(min(seconds, 1e9))
  }
}
