import HalcyonImaging
import HalcyonHTTP
import HalcyonSupport
import HalcyonCache
import Foundation

/// Gets the encoded bytes of a request from wherever they are, once for everyone who asks at the same time.
final class ImageFetcher: Sendable {
  private struct JobKey: Hashable {
    let key: CacheKey
    let terms: OptionsKey<FetchKey>

    /// Requests that differ in their terms alone are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  private let configuration: PipelineConfiguration
  private let web: CachingHTTPLoader
  private let files = WorkerPool(name: "files", width: 2)
  private let jobs: InFlightJobs<JobKey, EncodedImage>
  private let live = InFlightResponses()

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    web = CachingHTTPLoader(configuration: configuration, live: live)
    jobs = InFlightJobs(configuration.eventHandler == nil ? nil : .bytes)
  }

  /// Jobs and transfers that have not ended.
  var activeCount: Int { jobs.count + web.web.activeCount }

  /// How many transfers may go on at once.
  var connectionLimits: ConnectionLimits {
    get { web.web.gate.limits }
    set { web.web.gate.limits = newValue }
  }

  /// Remembers for a while that what a key's source gave is of no use.
  func note(_ error: ImageError, for key: CacheKey) { web.web.note(error, for: key) }

  func body(
    for request: ImageRequest, key: CacheKey, interest: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    let (key, operation) = try job(for: request, key: key)
    return try await jobs.value(for: key, interest: interest, keepsResult: true, operation: operation)
  }

  /// Not inlined, as much here and in ``CachingHTTPLoader``: what has a place in the frame of an asynchronous function takes that
  /// memory as long as the load waits.
  @inline(never)
  private func job(
    for request: ImageRequest, key: CacheKey
  ) throws(ImageError) -> (JobKey, InFlightJobs<JobKey, EncodedImage>.Operation) {
    let source = try ResolvedSource(request.source)
    let jobKey = JobKey(key: key, terms: FetchKey.key(request))
    if case .web(let address) = source {
      return (
        jobKey,
        { [web] interest throws(ImageError) in
          try await web.body(for: request, key: key, interest: interest, at: .known(address))
        }
      )
    }
    return (
      jobKey,
      { [self] interest throws(ImageError) in try await body(of: source, request, key: key, interest) }
    )
  }

  /// Apart from the most frequent case, so that its frame has no room for all others.
  @inline(never)
  private func body(
    of source: ResolvedSource, _ request: ImageRequest, key: CacheKey, _ interest: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    switch source {
    case .web(let address):
      try await web.body(for: request, key: key, interest: interest, at: .known(address))
    case .unresolved(let resolver):
      try await web.body(for: request, key: key, interest: interest, at: .unresolved(resolver))
    case .file(let path, let url):
      try await fileBody(path: path, url: url)
    case .inline(let text, let url):
      try await inlineBody(text, url: url)
    case .data(let data):
      try localBody(data, url: nil, origin: .inline)
    case .provider(let provider):
      try await providedBody(provider, request, key: key, interest)
    }
  }

  private func providedBody(
    _ provider: ImageProvider, _ request: ImageRequest, key: CacheKey, _ interest: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    var trace = LoadTrace()
    let liveKey = configuration.liveKey(key, for: request)
    if request.cachePolicy.readsStore, !request.freshness.contactsServerFirst {
      if let body = live[liveKey] {
        configuration.tell(.joined(.bytes), to: interest)
        return body
      }
      let answer = await storedBody(request, key, trace: &trace)
      configuration.tell(.found(answer), to: interest)
      if let body = answer.value { return body }
    } else {
      configuration.tell(.storeMiss(.notRead), to: interest)
    }
    guard request.freshness.usesNetwork else { throw .notCached(key) }
    let start = ContinuousClock.now
    let data: Data
    do {
      data = try await provider.data()
      try Task.checkCancellation()
    } catch {
      throw ImageError(providing: provider.key, error)
    }
    trace.add(.transfer, since: start)
    let body = try localBody(
      data, url: nil, origin: .provider, storeKey: request.cachePolicy.writesStore ? liveKey : nil, trace: trace)
    if body.draft != nil { live.insert(body, for: liveKey) }
    return body
  }

  /// A store that fails is a store without the entry: the network is asked instead.
  private func storedBody(
    _ request: ImageRequest, _ key: CacheKey, trace: inout LoadTrace
  ) async -> CacheResult<EncodedImage> {
    let cache = configuration.originalCache(for: request)
    guard let store = configuration.store(of: cache, for: request) else { return .miss(.notRead) }
    let start = ContinuousClock.now
    let answer = (try? await store.lookUp(key)) ?? .miss(.failed)
    trace.add(.storeRead, since: start, miss: answer.miss)
    guard let entry = answer.value else { return .miss(answer.miss ?? .absent) }
    return storedBody(entry, isFromWeb: false, trace: trace).map { .hit($0) } ?? .miss(.damaged)
  }

  /// A stored body, unless it is no image.
  func storedBody(_ entry: StoredEntry, isFromWeb: Bool, trace: LoadTrace) -> EncodedImage? {
    if isFromWeb { return web.storedBody(entry, trace: trace) }
    guard let info = try? configuration.inspector(of: entry.metadata.url).info(of: entry.body) else {
      return nil
    }
    return EncodedImage(data: entry.body, metadata: entry.metadata, info: info, origin: .store, trace: trace)
  }

  private func fileBody(path: String, url: URL) async throws(ImageError) -> EncodedImage {
    let limit = configuration.limits.encodedByteCount
    let data: Data
    do {
      data = try await files.run { _ in try LocalFile.contents(path: path, byteLimit: limit) }
    } catch let error as LocalFile.Failure {
      throw error.imageError(path: path, url: url)
    } catch {
      throw .cancelled
    }
    return try localBody(data, url: url, origin: .file)
  }

  /// Megabytes of base64 take long enough to be kept off the cooperative threads.
  private func inlineBody(_ text: String, url: URL) async throws(ImageError) -> EncodedImage {
    let data: Data
    do {
      data = try await files.run { _ in try DataURL.decode(text) }
    } catch let error as ImageError {
      throw error
    } catch {
      throw .cancelled
    }
    return try localBody(data, url: url, origin: .inline)
  }

  @inline(never)
  private func localBody(
    _ data: Data, url: URL?, origin: ImageOrigin, storeKey: InFlightResponses.Key? = nil, trace: LoadTrace = LoadTrace()
  ) throws(ImageError) -> EncodedImage {
    guard !data.isEmpty else { throw .emptyResponse(url ?? .unnamedImage) }
    guard data.count <= configuration.limits.encodedByteCount else {
      throw .responseTooLarge(byteLimit: configuration.limits.encodedByteCount, url: url ?? .unnamedImage)
    }
    let now = configuration.time.now()
    let metadata = EntryMetadata(url: url, requestDate: now, responseDate: now)
    let draft = storeKey.map {
      StorableResponse(metadata: metadata, key: $0.key, requestHeaders: [:], knownVariants: [])
    }
    return EncodedImage(
      data: data, metadata: metadata, info: try configuration.inspector(of: url).info(of: data),
      origin: origin, draft: draft, trace: trace
    ) { [live] in if let storeKey { live.removeEnded(storeKey) } }
  }
}

extension URL {
  /// Stands in errors for bytes that have no address.
  static let unnamedImage = URL(filePath: "/unnamed-image")
}
