import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Gets the encoded bytes of a request: from a response in flight, from the store by HTTP's rules, or from the source.
/// Equal requests share one job.
final class CachingLoader: Sendable {
  let configuration: PipelineConfiguration
  let http: HTTPLoader
  let files = WorkerPool(name: "files", width: 2)
  let jobs: InFlightJobs<JobKey<FetchKey>, EncodedImage>
  let transfers = SharedTransfers()
  let inFlight = InFlightResponses()
  /// Stored images that are being revalidated.
  let revalidated = InFlightResponses()
  let revalidations = BackgroundRevalidations()

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    http = HTTPLoader(configuration: configuration)
    jobs = InFlightJobs(configuration.eventHandler == nil ? nil : .bytes) { $0.key.sourceURL }
  }

  /// Jobs and transfers that have not ended.
  var activeCount: Int { jobs.count + http.limiter.activeCount }

  /// The sources of all jobs, URLs and keys.
  var activeSources: Set<String> { Set(jobs.keys.map { $0.key.sourceText }) }

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

  func encodedImage(for load: Load) async throws(ImageError) -> EncodedImage {
    let wait = try LoadChain.wait(for: link(load.keys.fetch))
    defer { wait?.end() }
    let watch = RemovalWatch(load.keys.fetch, in: load.cache)
    return try await jobs.value(
      for: jobKey(of: load.request, watch), subscription: load.subscription, keepsResult: true,
      writes: partialWrites(of: load)
    ) { [self] subscription throws(ImageError) in
      let load = load.shared(by: subscription, for: watch)
      let source = try ResolvedSource(load.request.source)
      guard case .web(let location) = source else { return try await image(from: source, load) }
      return try await httpImage(load, at: location)
    }
  }

  /// The key of the job of a load.
  func jobKey(of request: ImageRequest, _ watch: RemovalWatch) -> JobKey<FetchKey> {
    JobKey(watch.key, request, after: watch.removals.ofStore)
  }

  /// The writes to which a cancelled load adds its partial response; `nil` if it stores none.
  func partialWrites(of load: Load) -> BackgroundWrites? {
    let storesPart =
      !load.request.source.isProvided && load.resolved.storeAccess.writes && load.cache.encodedStore != nil
    return storesPart ? load.cache.writes : nil
  }

  /// The image of any source. A function of its own: loads of web URLs, which are most, then wait in a smaller async
  /// frame.
  private func image(from source: ResolvedSource, _ load: Load) async throws(ImageError) -> EncodedImage {
    switch source {
    case .web(let location): return try await httpImage(load, at: location)
    case .file(let path, let url):
      // Looked up before the bytes are read: what is made of them is outdated if the file is written meanwhile.
      let version = await version(ofFile: url)
      let data = try await bytes { [self] () throws(ImageError) in try contents(ofFile: path, url) }
      return try localImage(data, of: load, url: url, version: version, origin: .file)
    case .inline(let text, let url):
      let data = try await bytes { () throws(ImageError) in try DataURL.decode(text) }
      return try localImage(data, of: load, url: url, origin: .inline)
    case .data(let data):
      return try localImage(data, of: load, origin: .inline)
    case .provider(let provider):
      return try await providedImage(load) { () async throws(ImageError) in (try await provider.provided(), nil) }
    case .decoded(let provider):
      return try await providedImage(load) { [self] () async throws(ImageError) in
        try await encoded(provider.provided(), of: load)
      }
    }
  }

  /// Identifies the loads of a key, for ``LoadChain``.
  func link(_ key: CacheKey) -> LoadChain.Link { LoadChain.Link(loader: ObjectIdentifier(self), key: key) }

  /// The image of a stored entry; `nil` if the entry is not an image.
  func storedImage(_ entry: StoredEntry, of load: Load) -> EncodedImage? {
    let inspector = configuration.inspector(of: entry.metadata.url ?? load.key.sourceURL, for: load.request)
    guard let info = try? inspector.info(of: entry.body) else { return nil }
    return EncodedImage(
      data: entry.body, metadata: entry.metadata, info: info, origin: .store,
      freshEnd: load.request.source.followsHTTP ? freshEnd(entry.metadata) : nil, trace: load.trace, watch: load.watch)
  }

  /// Lets other loads use the stored image while the server is contacted, without reading it again.
  ///
  /// - Parameter load: The load of the image, whose caller waits for the server.
  func reportStored(_ image: EncodedImage, for key: InFlightResponses.Key, _ load: Load) {
    revalidated.insert(image, for: key)
    load.reportStored(image)
  }

  func freshEnd(_ metadata: EntryMetadata) -> Duration {
    let seconds = configuration.httpCaching.remainingLifetime(of: metadata, at: configuration.time.now())
    return configuration.time.uptime() + .seconds(seconds)
  }
}
