import HalcyonImaging
import HalcyonSupport
package import HalcyonHTTP
import HalcyonCache

/// Options with their defaults, for requests that the pipeline has resolved.
extension ImageRequest {
  /// The size at which the image is decoded.
  var targetSize: TargetSize { size ?? .original }
  /// The colour space to which the image is decoded.
  var targetColorSpace: TargetColorSpace { optionsBox?.options.colorSpace ?? .sRGB }
  var loadPriority: ImagePriority { optionsBox?.options.priority ?? .normal }
  package var freshness: CachePolicy {
    let policy = optionsBox?.options.cachePolicy ?? .standard
    // There is nothing to load again.
    return policy.contactsServerFirst && source.isOnlyCached ? .cacheOnly : policy
  }
  var readsMemory: Bool { optionsBox?.options.memoryAccess?.reads ?? true }
  var writesMemory: Bool { optionsBox?.options.memoryAccess?.writes ?? true }
  var readsStore: Bool { optionsBox?.options.storeAccess?.reads ?? true }
  var writesStore: Bool { optionsBox?.options.storeAccess?.writes ?? true }
  var revalidatesByETag: Bool { optionsBox?.options.usesETags ?? true }
  var acceptsPartialImage: Bool { optionsBox?.options.allowsPartialImage ?? false }
  var acceptsErrorImage: Bool { optionsBox?.options.allowsErrorImage ?? false }
  var waitsForWrite: Bool { optionsBox?.options.waitsForStore ?? false }
  var storagePolicy: StoragePolicy { optionsBox?.options.storage ?? .original }
  var encodesImages: Bool { optionsBox?.options.storage?.encoding != nil }
  var loadsFirstFrame: Bool { optionsBox?.options.animation == .firstFrame }
  var preloadsFrames: Bool { optionsBox?.options.animation?.preloadsFrames ?? false }
  /// Whether there are processors to apply to every frame of an animation.
  var processesFrames: Bool { !processors.isEmpty && optionsBox?.options.animation?.processesFrames ?? false }
}

/// Changes that the options make to an image on delivery. Cached images are not affected.
extension ImageRequest {
  /// The response to deliver. Suspends only if frames of an animation have to be decoded first.
  func delivered(_ response: ImageResponse) async -> ImageResponse {
    guard let options = optionsBox?.options else { return response }
    var response = response
    if preloadsFrames, let frames = response.image.animation?.decodedFrames {
      // The frames before a damaged one are decoded anyway.
      try? await frames.preload()
      response.image = response.image.holding(frames)
    }
    response.image = delivered(response.image)
    if let userInfo = options.userInfo { response.userInfo = userInfo }
    return response
  }

  /// The image from memory to deliver to a view, which does not wait: frames are decoded while the image is shown.
  func deliveredAtOnce(_ image: DecodedImage) -> DecodedImage {
    guard preloadsFrames, let frames = image.animation?.decodedFrames else { return delivered(image) }
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
    // A view compares the versions of what it shows and of what it has revalidated.
    if modified.facts.freshness != image.facts.freshness { modified.facts.freshness = image.facts.freshness }
    return modified
  }
}
