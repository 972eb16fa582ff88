import HalcyonImaging
import HalcyonSupport
package import HalcyonHTTP
import HalcyonCache

/// The options of a request with their defaults, under the names by which callers set them; for requests that the pipeline
/// has resolved.
package struct ResolvedOptions {
  fileprivate let request: ImageRequest

  /// The size at which the image is decoded.
  var size: TargetSize { request.size ?? .original }
  /// The size at which a file is decoded: of an original with too many pixels the largest size without.
  func size(of info: ImageInfo, within limits: ImageLimits) -> TargetSize {
    guard size == .original, let limit = originalPixelLimit else { return size }
    return (request.region?.size ?? info.pixelSize).fitting(pixelCount: min(limit, limits.pixelCount))
  }
  /// The option, unless it has no effect.
  var originalPixelLimit: Int? { size == .original ? request.optionsBox?.options.originalPixelLimit : nil }
  var colorSpace: TargetColorSpace { request.optionsBox?.options.colorSpace ?? .sRGB }
  /// The range of luminances to which the image is decoded: standard for a processor that knows only bytes.
  var dynamicRange: DynamicRange {
    guard request.optionsBox?.options.dynamicRange == .high else { return .standard }
    return request.processors.keepDynamicRange ? .high : .standard
  }
  var priority: ImagePriority { request.optionsBox?.options.priority ?? .normal }
  package var cachePolicy: CachePolicy {
    let policy = request.optionsBox?.options.cachePolicy ?? .standard
    // Without a source there is nothing to load again.
    return policy.contactsServerFirst && request.source.isOnlyCached ? .cacheOnly : policy
  }
  var memoryAccess: CacheAccess { request.optionsBox?.options.memoryAccess ?? .readWrite }
  var storeAccess: CacheAccess { request.optionsBox?.options.storeAccess ?? .readWrite }
  var usesETags: Bool { request.optionsBox?.options.usesETags ?? true }
  var allowsPartialImage: Bool { request.optionsBox?.options.allowsPartialImage ?? false }
  var allowsErrorImage: Bool { request.optionsBox?.options.allowsErrorImage ?? false }
  var waitsForStore: Bool { request.optionsBox?.options.waitsForStore ?? false }
  var storage: StoragePolicy { request.optionsBox?.options.storage ?? .original }
  var animation: AnimationPolicy { request.optionsBox?.options.animation ?? .frames() }
}

extension PixelSize {
  /// The original size if it has at most so many pixels, otherwise the largest one in this ratio.
  fileprivate func fitting(pixelCount limit: Int) -> TargetSize {
    let limit = max(1, limit)
    guard pixelCount > limit else { return .original }
    let scale = (Double(limit) / Double(pixelCount)).squareRoot()
    let width = min(max(1, Int(Double(width) * scale)), limit)
    return .fit(width: width, height: min(max(1, Int(Double(height) * scale)), limit / width))
  }
}

extension ImageRequest {
  /// The options with their defaults.
  package var resolved: ResolvedOptions { ResolvedOptions(request: self) }
  /// Whether there are processors to apply to every frame of an animation.
  var processesFrames: Bool { !processors.isEmpty && resolved.animation.processesFrames }
}

/// Changes that the options make to an image on delivery. Cached images are not affected.
extension ImageRequest {
  /// The response to deliver. Suspends only if frames of an animation have to be decoded first.
  func delivered(_ response: ImageResponse) async -> ImageResponse {
    guard let options = optionsBox?.options else { return response }
    var response = response
    if resolved.animation.preloadsFrames, let frames = response.image.animation?.decodedFrames {
      // A damaged frame ends the preloading without an error.
      try? await frames.preload()
      response.image = response.image.holding(frames)
    }
    response.image = delivered(response.image)
    if let userInfo = options.userInfo { response.userInfo = userInfo }
    return response
  }

  /// The image from memory to deliver to a view, which does not wait: frames are decoded while the image is shown.
  func deliveredAtOnce(_ image: DecodedImage) -> DecodedImage {
    guard resolved.animation.preloadsFrames, let frames = image.animation?.decodedFrames else {
      return delivered(image)
    }
    Task { try? await frames.preload() }
    return delivered(image.holding(frames))
  }

  /// The image to deliver.
  func delivered(_ image: DecodedImage) -> DecodedImage {
    guard let options = optionsBox?.options else { return image }
    var image = image
    if let scale = options.scale { image.scale = scale }
    guard let modifier = options.imageModifier else { return image }
    var modified = modifier(image)
    // The freshness stays: views compare the versions of the shown and the revalidated image.
    if modified.facts.freshness != image.facts.freshness { modified.facts.freshness = image.facts.freshness }
    return modified
  }
}
