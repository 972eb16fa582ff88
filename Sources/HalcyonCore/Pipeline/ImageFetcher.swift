import Foundation

/// Gets the encoded bytes of a request from wherever they are, once for everyone who asks at the same time.
final class ImageFetcher: Sendable {
  private struct JobKey: Hashable {
    let key: CacheKey
    let readsStore: Bool
    let writesStore: Bool
    let usesNetwork: Bool
  }

  private let configuration: ImagePipeline.Configuration
  private let web: WebLoader
  private let files = WorkerPool(name: "files", width: 2)
  private let jobs = SharedJobs<JobKey, FetchedBody>()
  private let live = LiveBodies()

  init(configuration: ImagePipeline.Configuration) {
    self.configuration = configuration
    web = WebLoader(configuration: configuration)
  }

  /// Jobs and transfers that have not ended.
  var activeCount: Int { jobs.count + web.activeCount }

  /// How many transfers may go on at once.
  var connectionLimits: ConnectionLimits {
    get { web.gate.limits }
    set { web.gate.limits = newValue }
  }

  /// Remembers for a while that what a key's source gave is of no use.
  func note(_ error: ImageError, for key: CacheKey) { web.note(error, for: key) }

  func body(
    for request: ImageRequest, key: CacheKey, interest: LoadInterest
  ) async throws(ImageError) -> FetchedBody {
    let source = try ResolvedSource(request.source)
    let policy = request.cachePolicy
    let jobKey = JobKey(
      key: key, readsStore: policy.readsStore, writesStore: policy.writesStore, usesNetwork: policy.usesNetwork)
    return try await jobs.value(for: jobKey, interest: interest, keepsResult: true) {
      [self] interest throws(ImageError) in
      switch source {
      case .web(let url):
        try await webBody(request, key: key, interest: interest) { url }
      case .unresolved(let resolver):
        try await webBody(request, key: key, interest: interest) { () async throws(ImageError) in
          try await Self.address(from: resolver)
        }
      case .file(let path, let url):
        try await fileBody(path: path, url: url)
      case .inline(let text, let url):
        try await inlineBody(text, url: url)
      case .data(let data):
        try localBody(data, url: nil, origin: .inline)
      case .provider(let provider):
        try await providedBody(provider, policy: policy, key: key)
      }
    }
  }

  /// - Parameter address: Where to ask; called only when no cache has the bytes.
  private func webBody(
    _ request: ImageRequest, key: CacheKey, interest: LoadInterest,
    at address: @Sendable () async throws(ImageError) -> URL
  ) async throws(ImageError) -> FetchedBody {
    var trace = LoadTrace()
    let policy = request.cachePolicy
    if let body = await keptBody(key, policy: policy, trace: &trace) { return body }
    guard policy.usesNetwork else { throw .notCached(key) }
    let order = WebOrder(url: try await address(), headers: request.headers, key: key, cachePolicy: policy)
    guard case .body(let answer) = try await web.load(order, interest: interest, trace: &trace) else {
      throw .httpStatus(304, url: order.url)
    }
    let body = FetchedBody(
      data: answer.data, metadata: answer.metadata, info: answer.info, origin: .network,
      isStorable: answer.isStorable, trace: trace
    ) { [live] in live.removeEnded(key) }
    if policy.writesStore { live.insert(body, for: key) }
    return body
  }

  private static func address(from resolver: AddressResolver) async throws(ImageError) -> URL {
    let url: URL
    do {
      url = try await resolver.address()
      try Task.checkCancellation()
    } catch {
      throw ImageError(providing: resolver.key, error)
    }
    guard WebOrigin(url) != nil else { throw .invalidURL(url.absoluteString) }
    return url
  }

  private func providedBody(
    _ provider: ImageProvider, policy: CachePolicy, key: CacheKey
  ) async throws(ImageError) -> FetchedBody {
    var trace = LoadTrace()
    if let body = await keptBody(key, policy: policy, trace: &trace) { return body }
    let start = ContinuousClock.now
    let data: Data
    do {
      data = try await provider.data()
      try Task.checkCancellation()
    } catch {
      throw ImageError(providing: provider.key, error)
    }
    trace.add(.transfer, since: start)
    return try localBody(data, url: nil, origin: .provider, trace: trace)
  }

  /// A body that somebody works on at this moment, or that the store has.
  private func keptBody(_ key: CacheKey, policy: CachePolicy, trace: inout LoadTrace) async -> FetchedBody? {
    guard policy.readsStore else { return nil }
    if let body = live[key] { return body }
    return await storedBody(key, trace: &trace)
  }

  /// A store that fails is a store without the entry: the network is asked instead.
  private func storedBody(_ key: CacheKey, trace: inout LoadTrace) async -> FetchedBody? {
    guard let store = configuration.cache.store else { return nil }
    let start = ContinuousClock.now
    let entry = try? await store.entry(for: key)
    trace.add(.storeRead, since: start)
    guard let entry, let info = try? ImageInspector(configuration, url: entry.metadata.url).info(of: entry.body) else {
      return nil
    }
    return FetchedBody(data: entry.body, metadata: entry.metadata, info: info, origin: .store, trace: trace)
  }

  private func fileBody(path: String, url: URL) async throws(ImageError) -> FetchedBody {
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
  private func inlineBody(_ text: String, url: URL) async throws(ImageError) -> FetchedBody {
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

  private func localBody(
    _ data: Data, url: URL?, origin: ImageOrigin, trace: LoadTrace = LoadTrace()
  ) throws(ImageError) -> FetchedBody {
    guard !data.isEmpty else { throw .emptyResponse(url ?? .unnamedImage) }
    guard data.count <= configuration.limits.encodedByteCount else {
      throw .responseTooLarge(byteLimit: configuration.limits.encodedByteCount, url: url ?? .unnamedImage)
    }
    let now = configuration.time.now()
    return FetchedBody(
      data: data, metadata: EntryMetadata(url: url, requestDate: now, responseDate: now),
      info: try ImageInspector(configuration, url: url).info(of: data), origin: origin, trace: trace)
  }
}

extension ImageError {
  fileprivate init(providing key: String, _ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as ImageError: self = error
    default: self = Task.isCancelled ? .cancelled : .providerFailed(key: key, cause: error)
    }
  }
}

extension URL {
  /// Stands in errors for bytes that have no address.
  static let unnamedImage = URL(filePath: "/unnamed-image")
}
