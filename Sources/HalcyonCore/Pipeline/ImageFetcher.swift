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

  func body(
    for request: ImageRequest, key: CacheKey, interest: LoadInterest
  ) async throws(ImageError) -> FetchedBody {
    let source = try request.source.resolve()
    let policy = request.cachePolicy
    let jobKey = JobKey(
      key: key, readsStore: policy.readsStore, writesStore: policy.writesStore, usesNetwork: policy.usesNetwork)
    return try await jobs.value(for: jobKey, interest: interest, keepsResult: true) {
      [self] interest throws(ImageError) in
      switch source {
      case .web(let url, _):
        try await webBody(url, headers: request.headers, policy: policy, key: key, interest: interest)
      case .file(let path, let url):
        try await fileBody(path: path, url: url)
      case .inline(let text, let url):
        try await inlineBody(text, url: url)
      }
    }
  }

  private func webBody(
    _ url: URL, headers: HTTPHeaders, policy: CachePolicy, key: CacheKey, interest: LoadInterest
  ) async throws(ImageError) -> FetchedBody {
    var trace = LoadTrace()
    if policy.readsStore {
      if let body = live[key] { return body }
      if let body = await storedBody(key, url: url, trace: &trace) { return body }
    }
    guard policy.usesNetwork else { throw .notCached(key) }
    let answer = try await web.load(url, headers: headers, interest: interest, trace: &trace)
    let body = FetchedBody(
      data: answer.data, metadata: answer.metadata, info: answer.info, origin: .network, trace: trace
    ) { [live] in live.removeEnded(key) }
    if policy.writesStore { live.insert(body, for: key) }
    return body
  }

  /// A store that fails is a store without the entry: the network is asked instead.
  private func storedBody(_ key: CacheKey, url: URL, trace: inout LoadTrace) async -> FetchedBody? {
    guard let store = configuration.cache.store else { return nil }
    let start = ContinuousClock.now
    let entry = try? await store.entry(for: key)
    trace.add(.storeRead, since: start)
    guard let entry, let info = try? ImageInspector(configuration, url: url).info(of: entry.body) else { return nil }
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

  private func localBody(_ data: Data, url: URL, origin: ImageOrigin) throws(ImageError) -> FetchedBody {
    guard !data.isEmpty else { throw .emptyResponse(url) }
    guard data.count <= configuration.limits.encodedByteCount else {
      throw .responseTooLarge(byteLimit: configuration.limits.encodedByteCount, url: url)
    }
    let now = configuration.time.now()
    return FetchedBody(
      data: data, metadata: EntryMetadata(url: url, requestDate: now, responseDate: now),
      info: try ImageInspector(configuration, url: url).info(of: data), origin: origin, trace: LoadTrace())
  }
}
