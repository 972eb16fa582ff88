import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Loads images. Each call makes a ``Load``; equal loads share one job.
///
/// 1. ``lookUpMemory(_:key:)``: the image in memory, without suspending.
/// 2. ``around(_:_:)``: events, timeout, stale image first, alternatives and low data mode, if the load has any
///    (the folder Around).
/// 3. ``load(_:keepsResult:)``: a job, whose steps are in `ImageLoader+Steps.swift`. It gets the encoded bytes from the
///    ``CachingLoader``.
final class ImageLoader: Sendable {
  let configuration: PipelineConfiguration
  let bytes: CachingLoader
  /// `nil` without an event handler.
  let monitor: PipelineMonitor?
  let workers: WorkerPool
  /// Makes images on the workers.
  let renderer: Renderer
  /// Images that must not be stored, for views.
  let unstoredImages = ImagesInUse()
  private let jobs: InFlightJobs<JobKey<LoadKey>, LoadedImage>
  /// Images that are encoded for callers.
  let encodings: InFlightJobs<JobKey<LoadKey>, EncodedVariant>
  private let invalidated = Atomic(false)

  init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    bytes = CachingLoader(configuration: configuration)
    monitor = PipelineMonitor(configuration)
    renderer = configuration.renderer
    workers = WorkerPool(
      name: "decoder", width: max(1, configuration.decodingThreads), newestFirst: configuration.loadsNewestFirst)
    jobs = InFlightJobs(configuration.eventHandler == nil ? nil : .image) { $0.key.sourceURL }
    encodings = InFlightJobs(configuration.eventHandler == nil ? nil : .image) { $0.key.sourceURL }
  }

  /// Jobs that have not ended.
  var activeCount: Int { jobs.count + bytes.activeCount }

  /// The sources of all jobs, URLs and keys.
  var activeSources: Set<String> {
    Set((jobs.keys + encodings.keys).map { $0.key.sourceText }).union(bytes.activeSources)
  }

  /// Cancels the loads whose source has this text, its URL or its key, at all sizes.
  func cancelLoads(of source: String) {
    jobs.cancel { $0.key.sourceText == source }
    encodings.cancel { $0.key.sourceText == source }
    bytes.cancelLoads(of: source)
  }

  /// Ends all loads, and lets the threads end. Idempotent.
  func invalidate() {
    invalidated.store(true)
    jobs.invalidate()
    encodings.invalidate()
    bytes.invalidate()
    workers.close()
    unstoredImages.removeAll()
  }

  /// Whether ``invalidate()`` was called.
  var isInvalidated: Bool { invalidated.load() }

  /// The load of a caller.
  ///
  /// - Parameters:
  ///   - keys: The keys of the request, if they are known.
  ///   - memory: The outcome of the look-up in memory, if there was one.
  func newLoad(
    _ request: ImageRequest, _ keys: RequestKeys? = nil, after memory: MemoryLookup? = nil,
    for subscription: LoadSubscription
  ) -> Load {
    Load(
      request, keys ?? RequestKeys(request), in: configuration.cache(for: request), for: subscription, after: memory,
      isReported: configuration.eventHandler != nil)
  }

  /// The response to deliver to the caller of a task. Shows the preview that an earlier load kept, unless a view has
  /// done so already.
  func response(_ task: Load) async throws(ImageError) -> ImageResponse {
    let load = lookedUp(task)
    if task.memory == nil, load.memory?.isHit == false, let preview = keptPreview(load.request, keys: load.keys) {
      load.subscription.report(.preview(preview))
    }
    let response = ImageResponse(try await image(load), for: load.request)
    removePreview(load)
    return await load.request.delivered(response)
  }

  /// Loads an image with all steps around it.
  func image(_ load: Load) async throws(ImageError) -> LoadedImage {
    try await around(load) { [self] load throws(ImageError) in try await imageOfSource(load) }
  }

  /// Loads from the load's own source, then applies the options of the request that follow a load.
  private func imageOfSource(_ load: Load) async throws(ImageError) -> LoadedImage {
    let load = load.memory == nil ? lookedUp(load) : load
    if case .hit(let image)? = load.memory { return LoadedImage(image: image) }
    var loaded = try await self.load(load, keepsResult: true)
    if load.request.optionsBox != nil { try await finish(&loaded, load) }
    return loaded
  }

  /// The load with the outcome of the look-up in memory, which is reported.
  private func lookedUp(_ load: Load) -> Load {
    let memory = load.memory ?? lookUpMemory(load.request, key: load.keys.image)
    load.report(memory.event(for: load.request))
    return load.after(memory)
  }

  private func finish(_ loaded: inout LoadedImage, _ load: Load) async throws(ImageError) {
    if load.resolved.waitsForStore { try await loaded.waitForWriting() }
    try await applyStoreOptions(load, after: loaded.encoded, loaded.variantWrite)
  }

  /// The result of the job for a load.
  ///
  /// - Parameter keepsResult: Whether the image itself is wanted, not only as a step towards another one.
  func load(_ load: Load, keepsResult: Bool) async throws(ImageError) -> LoadedImage {
    let wait = try LoadChain.wait(for: bytes.link(load.keys.fetch))
    defer { wait?.end() }
    let watch = RemovalWatch(load.keys.image, in: load.cache)
    return try await jobs.value(
      for: JobKey(watch.key, load.request, after: watch.removals), subscription: load.subscription,
      keepsResult: keepsResult, writes: bytes.partialWrites(of: load)
    ) { [self] subscription throws(ImageError) in
      try await runSteps(of: load.shared(by: subscription, for: watch), keepsResult: keepsResult)
    }
  }
}
