package import HalcyonSupport
public import HalcyonImaging
public import HalcyonCache
public import Foundation

/// Loads, caches, decodes and processes images.
///
/// Safe from any thread and any actor. Concurrent requests for the same image are coalesced: it is downloaded, decoded
/// and processed once. Blocking and CPU-bound work runs on the pipeline's own threads.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: url)
///
/// let pipeline = ImagePipeline { $0.limits.encodedByteCount = 10 << 20 }
/// let response = try await pipeline.response(for: ImageRequest(url: url, size: .fit(width: 400)))
/// ```
public final class ImagePipeline: Sendable {
  /// The memory cache and the store of the pipeline.
  public var cache: ImageCache { configuration.cache }

  /// The configuration that the pipeline was created with.
  public let configuration: PipelineConfiguration

  /// The number of views that load an image, or show one with a transition.
  package let busyViewCount = Lock(0)

  let loader: ImageLoader
  private let defaults: OptionsBox?
  private let mapper: RequestMapper?

  /// Creates a pipeline.
  ///
  /// Pipelines may share a cache. ``RequestOptions/global`` is read once, here.
  public init(configuration: PipelineConfiguration) {
    self.configuration = configuration
    let options = configuration.options.over(.global)
    let policyValue = configuration.transport.addressPolicy.keyValue
    defaults = options.isEmpty && policyValue == nil ? nil : OptionsBox(options, policyValue: policyValue)
    mapper = configuration.requestMapper.map { RequestMapper($0) }
    loader = ImageLoader(configuration: configuration)
  }

  /// The image at a URL.
  ///
  /// ```swift
  /// let image = try await pipeline.image(for: url, size: .fit(width: 400), options: .reload)
  /// ```
  ///
  /// An image in memory is returned without suspending.
  ///
  /// - Parameters:
  ///   - url: The URL of the image.
  ///   - size: The size in pixels at which the image is decoded. Default: its own.
  ///   - options: How the image is loaded and cached. Default: as the pipeline and the program say.
  public func image(
    for url: URL, size: TargetSize? = nil, options: RequestOptions? = nil
  ) async throws(ImageError) -> DecodedImage {
    var request = ImageRequest(url: url, size: size)
    if let options { request.options = options }
    return try await image(for: request)
  }

  /// The image of a request.
  ///
  /// An image in memory is returned without suspending, unless the frames of an animation are decoded first (``AnimationPolicy``).
  /// Cancelling the calling task ends the call with ``ImageError/cancelled``; work shared with other requests continues
  /// for them.
  public func image(for request: ImageRequest) async throws(ImageError) -> DecodedImage {
    guard isResolved(request) else { return try await response(for: request).image }
    // The path of most hits, without a copy of the request and without a response.
    return try await loaded(request, request.newSubscription).image
  }

  /// The image of a request, its origin, and the time that each step took.
  ///
  /// Cancelling the calling task ends the call with ``ImageError/cancelled``; work shared with other requests continues
  /// for them.
  public func response(for request: ImageRequest) async throws(ImageError) -> ImageResponse {
    let request = resolved(request)
    return await request.delivered(ImageResponse(try await loaded(request, request.newSubscription), for: request))
  }

  /// The image of a resolved request, without the changes that its options make on delivery. Inlined, so that a hit takes
  /// no frame of another asynchronous call.
  @inline(__always)
  func loaded(
    _ request: ImageRequest, _ subscription: @autoclosure () -> LoadSubscription
  ) async throws(ImageError) -> LoadedImage {
    let keys = RequestKeys(request)
    let lookup = loader.lookUpMemory(request, key: keys.image)
    if case .hit(let image) = lookup {
      loader.monitor?.reportHit(request)
      return LoadedImage(image: image)
    }
    return try await loader.image(loader.newLoad(request, keys, after: lookup, for: subscription()))
  }

  /// Starts loading immediately, and returns a handle to observe, reprioritize or cancel the load.
  ///
  /// The load continues when the handle is released.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(request: resolved(request), loader: loader)
  }

  /// Starts loading immediately and calls a completion handler, for code that does not use `async`.
  ///
  /// - Parameters:
  ///   - request: The image to load.
  ///   - queue: The queue of the completion handler. Default: `nil`, the main actor.
  ///   - completion: Called once with the result, also when the task is cancelled.
  /// - Returns: A handle to observe, reprioritize or cancel the load. The load continues when the handle is released.
  @discardableResult
  public func task(
    for request: ImageRequest, on queue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    ImageTask(request: resolved(request), loader: loader) { result in
      if let queue { queue.async { completion(result) } } else { Task { @MainActor in completion(result) } }
    }
  }

  /// Looks into memory for a view. The image of a hit is ready to be shown; any other outcome is passed to
  /// ``viewTask(for:after:)``.
  ///
  /// An image that must not be stored (`no-store`) is found while a view shows it, and for some seconds after, so that
  /// a list does not download it at each reuse of a cell. For a local file, the image of the version that was looked up
  /// last is found: see ``fileVersion(for:)``.
  package func lookUpMemory(for request: ImageRequest) -> MemoryLookup {
    let request = resolved(request)
    let key = RequestKeys(request, file: .remembered).image
    let lookup = loader.lookUpMemory(request, key: key)
    switch lookup {
    case .hit(let image): return .hit(deliveredHit(image, request))
    case .miss
    where request.resolved.memoryAccess.reads && !request.resolved.cachePolicy.contactsServerFirst
      && !loader.isInvalidated:
      return loader.unstoredImages.image(for: key).map { .hit(deliveredHit($0, request)) } ?? lookup
    default: return lookup
    }
  }

  /// The last preview of an earlier load of an image that is not in memory, for a view: ready to be shown.
  package func keptPreview(for request: ImageRequest) -> DecodedImage? {
    let request = resolved(request)
    return loader.keptPreview(request, keys: RequestKeys(request, file: .remembered)).map { request.delivered($0) }
  }

  func deliveredHit(_ image: DecodedImage, _ request: ImageRequest) -> DecodedImage {
    loader.monitor?.reportHit(request)
    return request.deliveredAtOnce(image)
  }

  /// Why no load of a request can succeed, such as an invalid URL; `nil` for any other request. It counts as a load.
  package func sourceError(of request: ImageRequest) -> ImageError? {
    guard request.alternatives.isEmpty, request.lowDataSource == nil, !loader.isInvalidated else { return nil }
    let request = resolved(request)
    do throws(ImageError) {
      _ = try ResolvedSource(request.source)
      return nil
    } catch {
      loader.monitor?.reportFailure(request, error)
      return error
    }
  }

  /// A view stops showing the image of a request.
  package func viewWillRelease(_ request: ImageRequest) {
    guard !loader.unstoredImages.isEmpty else { return }
    let request = resolved(request)
    if request.resolved.memoryAccess.writes {
      loader.unstoredImages.keep(RequestKeys(request, file: .remembered).image)
    }
  }

  /// The version of a request's local file that was looked up last, without a look at the disk; `nil` for other sources.
  package func lastFileVersion(for request: ImageRequest) -> String? {
    resolved(request).source.keySource.file.flatMap(FileVersions.last)
  }

  /// The version of a request's local file on the disk; `nil` if there is none, or the look-up is cancelled.
  package func fileVersion(for request: ImageRequest) async -> String? {
    guard let file = resolved(request).source.keySource.file else { return nil }
    return try? await loader.bytes.files.run { _ in FileVersions.current(of: file) }
  }

  /// The image of a request, with the changes that the options of the request make on delivery.
  package func delivered(_ image: DecodedImage, for request: ImageRequest) -> DecodedImage {
    resolved(request).delivered(image)
  }

  /// Starts loading for a view, after a look-up in memory that was not a hit; ``ImageTask/viewEvents`` is open before the
  /// first event.
  package func viewTask(for request: ImageRequest, after lookup: MemoryLookup) -> ImageTask {
    ImageTask(request: resolved(request), loader: loader, lookup: lookup)
  }

  /// A key for comparisons of requests, without the version of a local file.
  package static func cacheKey(for request: ImageRequest) -> CacheKey { RequestKeys(request, file: .any).image }

  /// The encoded bytes of a request's image, from the store or from the source.
  ///
  /// The size and the processors of the request are ignored; its alternatives and its timeout apply. The bytes are
  /// checked to begin and to end like an image, and stored as for a loaded image, but not decoded unless they may be cut.
  /// A cut file is an error; if the request allows a partial image, it is returned and not stored. So nothing is encoded by
  /// ``RequestOptions/storage``, and an image that it has stored is not returned; nothing is stored if it keeps no
  /// originals.
  ///
  /// - Parameters:
  ///   - request: The image whose bytes to load.
  ///   - onProgress: Called with the progress of the transfer, on any thread, one call at a time. Default: none.
  public func data(
    for request: ImageRequest, onProgress: (@Sendable (LoadProgress) -> Void)? = nil
  ) async throws(ImageError) -> Data {
    try await loader.encodedImage(for: resolved(request), needsEnd: true, onProgress: onProgress).data
  }

  /// The format, size and metadata of an image, without decoding it.
  ///
  /// All of its bytes are transferred and stored, as for ``data(for:onProgress:)``.
  public func info(for request: ImageRequest) async throws(ImageError) -> ImageInfo {
    try await loader.encodedImage(for: resolved(request), needsEnd: false).info
  }

  /// Exif, XMP, ICC profile and other metadata of an image, without decoding it.
  ///
  /// All of its bytes are transferred and stored, as for ``data(for:onProgress:)``, and then read on a thread of the
  /// pipeline. Loads of images do not read metadata.
  ///
  /// - Throws: The errors of ``data(for:onProgress:)``; ``ImageError/decoding(_:url:)`` if the file is damaged.
  public func metadata(for request: ImageRequest) async throws(ImageError) -> ImageMetadata {
    try await loader.metadata(for: resolved(request))
  }

  /// The number of sources that are being loaded; loads of one source count once, whatever their sizes and processors.
  @_spi(Programs) public var activeLoadCount: Int { loader.activeSources.count }

  /// The number of jobs and transfers that have not ended; a load has several.
  package var activeJobCount: Int { loader.activeCount }

  /// Cancels all loads of a source, at all sizes and with all processors. Their callers get ``ImageError/cancelled``.
  ///
  /// Loads of a URL through a source with a key go on when its URL is given.
  public func cancelLoads(of source: ImageSource) {
    loader.cancelLoads(of: resolved(ImageRequest(source: source)).source.keySource.text)
  }

  /// Ends all loads with ``ImageError/pipelineInvalidated(url:)``, and lets the threads of the pipeline end. Idempotent.
  ///
  /// Revalidations in the background end as well. Later loads fail with the same error, also of images in memory. The
  /// caches remain as they are: images being stored are written to the end, and other pipelines that share the caches
  /// or the transport are not affected. The threads of a cache end when they are idle; the transport's thread ends when
  /// nothing references the transport any longer.
  public func invalidate() { loader.invalidate() }

  /// The limits on concurrent and waiting transfers.
  ///
  /// May be changed at any time; transfers in flight are not interrupted.
  package var connectionLimits: ConnectionLimits {
    get { loader.bytes.http.limiter.limits }
    set { loader.bytes.http.limiter.limits = newValue }
  }

  /// How long failures are cached. Initially ``PipelineConfiguration/failureLifetimes``.
  ///
  /// May be changed at any time, also on a pipeline that is not configured, such as `ImagePipeline.shared`:
  /// ``FailureLifetimes/none`` sends every request. Setting forgets the failures cached so far.
  package var failureLifetimes: FailureLifetimes {
    get { loader.bytes.http.failures.lifetimes }
    set {
      loader.bytes.http.failures.lifetimes = newValue
      loader.bytes.http.failedResults.lifetimes = newValue
    }
  }

  /// The request with the default options of the pipeline filled in, for a view, which then sets its size. Idempotent.
  package func completed(_ request: ImageRequest) -> ImageRequest { request.completed(by: defaults) }

  /// The request with the default options and the identity of the pipeline filled in, and changed by its
  /// ``PipelineConfiguration/requestMapper``. Idempotent.
  package func resolved(_ request: ImageRequest) -> ImageRequest {
    if isResolved(request) { return request }
    var resolved = request.completed(by: defaults)
    if let mapper { resolved = mapper(resolved).completed(by: defaults) }
    if resolved.identity == nil {
      resolved.identity = resolved.optionsBox?.options.requestModifier?.identity
    }
    return resolved
  }

  /// Whether ``resolved(_:)`` would not change the request.
  private func isResolved(_ request: ImageRequest) -> Bool {
    defaults == nil && request.optionsBox == nil && mapper == nil
  }

  /// The resolved request, for a call that fails if the mapper does.
  func accepted(_ request: ImageRequest) throws(ImageError) -> ImageRequest {
    let request = resolved(request)
    if let error = request.source.rejection { throw error }
    return request
  }
}
