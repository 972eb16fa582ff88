public import HalcyonSupport
public import HalcyonImaging
public import HalcyonCache
public import Foundation

/// Loads, caches, decodes and processes images.
///
/// Safe from any thread and any actor. The same image asked for many times at once is loaded, decoded and processed
/// once; what blocks or computes runs on threads of the pipeline's own.
public final class ImagePipeline: Sendable {
  /// The parts and limits of a pipeline.
  public typealias Configuration = PipelineConfiguration

  /// Where images are kept.
  public var cache: ImageCache { configuration.cache }

  /// What the pipeline was made of.
  public let configuration: Configuration

  let loader: ImageLoader
  private let defaults: OptionsBox?

  /// Creates a pipeline. Pipelines may share a cache. Takes over ``RequestOptions/global``.
  public init(configuration: Configuration) {
    self.configuration = configuration
    let options = configuration.defaultOptions.over(.global)
    defaults = options.isEmpty ? nil : OptionsBox(options)
    loader = ImageLoader(configuration: configuration)
  }

  /// The image at an address, in its original size.
  ///
  /// An image in memory is returned without suspending.
  public func image(for url: URL) async throws(ImageError) -> DecodedImage {
    try await image(for: ImageRequest(url: url))
  }

  /// The image that a request describes.
  ///
  /// Cancelling the calling task ends the call with ``ImageError/cancelled``; work shared with others goes on for them.
  public func image(for request: ImageRequest) async throws(ImageError) -> DecodedImage {
    try await response(for: request).image
  }

  /// The image that a request describes, where it came from, and how long that took.
  public func response(for request: ImageRequest) async throws(ImageError) -> ImageResponse {
    let request = resolved(request)
    let keys = RequestKeys(request)
    let lookup = loader.lookUpMemory(request, key: keys.image)
    if loader.monitor == nil, case .hit(let image) = lookup {
      // Most hits: not even the frame of another asynchronous call.
      let response = ImageResponse(memory: image)
      return request.optionsBox == nil ? response : await request.delivered(response)
    }
    let response = try await loader.response(
      for: request, keys: keys, lookup: lookup, subscription: LoadSubscription(priority: request.priority))
    return await request.delivered(response)
  }

  /// The response for one of many requests that are loaded together, with a subscription of the caller's.
  func response(for request: ImageRequest, subscription: LoadSubscription) async throws(ImageError) -> ImageResponse {
    let request = resolved(request)
    return await request.delivered(try await undeliveredResponse(for: request, subscription: subscription))
  }

  /// The response to a resolved request as the caches have it, before the image modifier and the scale factor.
  func undeliveredResponse(
    for request: ImageRequest, subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    let keys = RequestKeys(request)
    let lookup = loader.lookUpMemory(request, key: keys.image)
    if loader.monitor == nil, case .hit(let image) = lookup { return ImageResponse(memory: image) }
    return try await loader.response(for: request, keys: keys, lookup: lookup, subscription: subscription)
  }

  /// Starts loading at once, and returns a handle to follow, hurry or cancel it.
  ///
  /// The load goes on when the handle is dropped.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(request: resolved(request), loader: loader)
  }

  /// Starts loading at once, for programs that are not written with `async`.
  ///
  /// - Parameter onCompletion: Called once with the outcome, also when the task is cancelled; where is said by
  ///   ``RequestOptions/callbackExecutor``, by default on the main actor.
  /// - Returns: A handle to follow, hurry or cancel the load, which may be dropped.
  @discardableResult
  public func task(
    for request: ImageRequest, onCompletion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    let request = resolved(request)
    let executor = request.optionsBox?.options.callbackExecutor ?? .main
    return ImageTask(request: request, loader: loader) { result in executor { onCompletion(result) } }
  }

  /// Looks into memory for a view: the image, ready to be shown, or the outcome for ``followedTask(for:after:)``.
  package func lookUpMemory(for request: ImageRequest) -> MemoryLookup {
    let request = resolved(request)
    let lookup = loader.lookUpMemory(request, key: RequestKeys(request).image)
    if case .hit(let image) = lookup { return .hit(request.delivered(image)) }
    return lookup
  }

  /// Starts loading as ``task(for:)`` does, after a look-up in memory that was not a hit, with a stream of all events.
  package func followedTask(for request: ImageRequest, after lookup: MemoryLookup) -> ImageTask {
    ImageTask(request: resolved(request), loader: loader, lookup: lookup, keepsAllEvents: true)
  }

  /// The image in memory, or `nil`. Neither suspends nor touches a disk: fit for a view that is about to be drawn.
  public func cachedImage(for request: ImageRequest) -> DecodedImage? {
    if case .hit(let image) = lookUpMemory(for: request) { image } else { nil }
  }

  /// The key under which a request's image is kept in memory: for direct use of ``ImageCache/memory``.
  ///
  /// A pipeline whose ``RequestModifier`` names an identity looks under the key of a request with that identity, and one
  /// with ``Configuration/defaultOptions`` under the key of a request that has them.
  public static func cacheKey(for request: ImageRequest) -> CacheKey { RequestKeys(request).image }

  /// The encoded bytes of a request's image, from the store where it is there; its size and processors do not matter.
  ///
  /// The bytes have been checked to begin like an image. They are not decoded, and so not kept in the store either.
  /// Alternatives and the time limit of the request count as in ``image(for:)``.
  public func data(for request: ImageRequest) async throws(ImageError) -> Data {
    try await loader.encodedImage(for: resolved(request)).data
  }

  /// The facts about an image without decoding it. All of its bytes are transferred, as for ``data(for:)``.
  public func info(for request: ImageRequest) async throws(ImageError) -> ImageInfo {
    try await loader.encodedImage(for: resolved(request)).info
  }

  /// Loads that have not ended, those shared counted once.
  public var activeLoadCount: Int { loader.activeCount }

  /// How many transfers may go on at once. May be changed while they do; those that go on are not cut short.
  public var connectionLimits: ConnectionLimits {
    get { loader.bytes.connectionLimits }
    set { loader.bytes.connectionLimits = newValue }
  }

  /// The request with what it leaves open filled in by the pipeline. Done once for each; twice is as once.
  func resolved(_ request: ImageRequest) -> ImageRequest {
    let isComplete = defaults == nil && request.optionsBox == nil
    if isComplete, request.identity != nil || configuration.requestModifier == nil { return request }
    var resolved = request.resolved(over: defaults)
    if resolved.identity == nil { resolved.identity = configuration.requestModifier?.identity }
    return resolved
  }
}
