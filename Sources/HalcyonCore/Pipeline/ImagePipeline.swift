public import Foundation

/// Loads, caches, decodes and processes images.
///
/// Safe from any thread and any actor. The same image asked for many times at once is loaded, decoded and processed
/// once; what blocks or computes runs on threads of the pipeline's own.
public final class ImagePipeline: Sendable {
  /// Where images are kept.
  public var cache: ImageCache { configuration.cache }

  /// What the pipeline was made of.
  public let configuration: Configuration

  let loader: ImageLoader

  /// Creates a pipeline. Pipelines may share a cache.
  public init(configuration: Configuration) {
    self.configuration = configuration
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
    let request = identified(request)
    let keys = RequestKeys(request)
    if let response = loader.memoryResponse(for: request, key: keys.image) { return response }
    return try await loader.response(
      for: request, keys: keys, interest: LoadInterest(priority: request.priority))
  }

  /// The response for one of many that are loaded together, whose interest is the caller's.
  func response(for request: ImageRequest, interest: LoadInterest) async throws(ImageError) -> ImageResponse {
    let request = identified(request)
    let keys = RequestKeys(request)
    if let response = loader.memoryResponse(for: request, key: keys.image) { return response }
    return try await loader.response(for: request, keys: keys, interest: interest)
  }

  /// Starts loading at once, and returns a handle to follow, hurry or cancel it.
  ///
  /// The load goes on when the handle is dropped.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(request: identified(request), loader: loader)
  }

  /// Starts loading as ``task(for:)`` does, with a stream that misses nothing.
  func followedTask(for request: ImageRequest) -> ImageTask {
    ImageTask(request: identified(request), loader: loader, keepsAllEvents: true)
  }

  /// The image in memory, or `nil`. Neither suspends nor touches a disk: fit for a view that is about to be drawn.
  public func cachedImage(for request: ImageRequest) -> DecodedImage? {
    let request = identified(request)
    return loader.memoryResponse(for: request, key: RequestKeys(request).image)?.image
  }

  /// The key under which a request's image is kept in memory: for direct use of ``ImageCache/memory``.
  ///
  /// A pipeline whose ``RequestModifier`` names an identity looks under the key of a request with that identity.
  public static func cacheKey(for request: ImageRequest) -> CacheKey { RequestKeys(request).image }

  /// The encoded bytes of a request's image, from the store where it is there; its size and processors do not matter.
  ///
  /// The bytes have been checked to begin like an image. They are not decoded, and so not kept in the store either.
  public func data(for request: ImageRequest) async throws(ImageError) -> Data {
    try await loader.body(for: identified(request)).data
  }

  /// The facts about an image without decoding it.
  public func info(for request: ImageRequest) async throws(ImageError) -> ImageInfo {
    try await loader.body(for: identified(request)).info
  }

  /// Loads that have not ended, those shared counted once.
  public var activeLoadCount: Int { loader.activeCount }

  /// How many transfers may go on at once. May be changed while they do; those that go on are not cut short.
  public var connectionLimits: ConnectionLimits {
    get { loader.connectionLimits }
    set { loader.connectionLimits = newValue }
  }

  func identified(_ request: ImageRequest) -> ImageRequest {
    guard request.identity == nil, let identity = configuration.requestModifier?.identity else { return request }
    var request = request
    request.identity = identity
    return request
  }
}
