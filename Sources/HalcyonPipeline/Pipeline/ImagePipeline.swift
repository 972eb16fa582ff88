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
    if loader.monitor == nil, let response = loader.memoryResponse(for: request, key: keys.image) {
      // Most hits: not even the frame of another asynchronous call.
      return request.optionsBox == nil ? response : await request.delivered(response)
    }
    let response = try await loader.reportedResponse(
      for: request, keys: keys, interest: LoadSubscription(priority: request.priority))
    return await request.delivered(response)
  }

  /// The response for one of many that are loaded together, whose interest is the caller's.
  func response(for request: ImageRequest, interest: LoadSubscription) async throws(ImageError) -> ImageResponse {
    let request = resolved(request)
    return await request.delivered(try await cachingResponse(for: request, interest: interest))
  }

  /// The response as the caches have it, to a request that is resolved.
  func cachingResponse(for request: ImageRequest, interest: LoadSubscription) async throws(ImageError) -> ImageResponse
  {
    let keys = RequestKeys(request)
    if loader.monitor == nil, let response = loader.memoryResponse(for: request, key: keys.image) { return response }
    return try await loader.reportedResponse(for: request, keys: keys, interest: interest)
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

  /// Starts loading as ``task(for:)`` does, with a stream that misses nothing.
  package func followedTask(for request: ImageRequest) -> ImageTask {
    ImageTask(request: resolved(request), loader: loader, keepsAllEvents: true)
  }

  /// The image in memory, or `nil`. Neither suspends nor touches a disk: fit for a view that is about to be drawn.
  public func cachedImage(for request: ImageRequest) -> DecodedImage? {
    let request = resolved(request)
    guard let response = loader.memoryResponse(for: request, key: RequestKeys(request).image) else { return nil }
    return request.delivered(response.image)
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
    try await loader.body(for: resolved(request)).data
  }

  /// The facts about an image without decoding it. All of its bytes are transferred, as for ``data(for:)``.
  public func info(for request: ImageRequest) async throws(ImageError) -> ImageInfo {
    try await loader.body(for: resolved(request)).info
  }

  /// Loads that have not ended, those shared counted once.
  public var activeLoadCount: Int { loader.activeCount }

  /// How many transfers may go on at once. May be changed while they do; those that go on are not cut short.
  public var connectionLimits: ConnectionLimits {
    get { loader.connectionLimits }
    set { loader.connectionLimits = newValue }
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
