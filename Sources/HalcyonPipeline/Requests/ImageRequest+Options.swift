import HalcyonImaging
public import HalcyonSupport
public import HalcyonHTTP
import HalcyonCache

/// ``ImageRequest/options`` that read as the default of the library if they are `nil`, even if the pipeline has another
/// default.
extension ImageRequest {
  /// ``RequestOptions/priority``.
  public var priority: ImagePriority {
    get { optionsBox?.options.priority ?? .normal }
    set { options.priority = newValue }
  }
  /// ``RequestOptions/cachePolicy``.
  public var cachePolicy: CachePolicy {
    get { optionsBox?.options.cachePolicy ?? CachePolicy() }
    set { options.cachePolicy = newValue }
  }
  /// ``RequestOptions/freshness``.
  public var freshness: FreshnessPolicy {
    get { optionsBox?.options.freshness ?? .standard }
    set { options.freshness = newValue }
  }
  /// ``RequestOptions/usesETags``.
  public var usesETags: Bool {
    get { optionsBox?.options.usesETags ?? true }
    set { options.usesETags = newValue }
  }
  /// ``RequestOptions/showsStaleFirst``.
  public var showsStaleFirst: Bool {
    get { optionsBox?.options.showsStaleFirst ?? false }
    set { options.showsStaleFirst = newValue }
  }
  /// ``RequestOptions/previews``.
  public var previews: PreviewPolicy? {
    get { optionsBox?.options.previews }
    set { options.previews = newValue }
  }
  /// ``RequestOptions/allowsPartialImage``.
  public var allowsPartialImage: Bool {
    get { optionsBox?.options.allowsPartialImage ?? false }
    set { options.allowsPartialImage = newValue }
  }
  /// ``RequestOptions/allowsErrorImage``.
  public var allowsErrorImage: Bool {
    get { optionsBox?.options.allowsErrorImage ?? false }
    set { options.allowsErrorImage = newValue }
  }
  /// ``RequestOptions/timeout``.
  public var timeout: Duration? {
    get { optionsBox?.options.timeout }
    set { options.timeout = newValue }
  }
}

/// Other options, for requests that the pipeline has resolved.
extension ImageRequest {
  var waitsForStore: Bool { optionsBox?.options.waitsForStore ?? false }
  var storage: StoragePolicy { optionsBox?.options.storage ?? .original }
  var keepsOriginal: Bool { optionsBox?.options.keepsOriginal ?? true }
  var firstFrameOnly: Bool { optionsBox?.options.firstFrameOnly ?? false }
  var preloadsFrames: Bool { optionsBox?.options.preloadsFrames ?? false }
  package var usesOriginalSize: Bool { optionsBox?.options.usesOriginalSize ?? false }
  /// Whether there are processors to apply to every frame of an animation.
  var processesFrames: Bool { !processors.isEmpty && !firstFrameOnly && optionsBox?.options.processesFrames ?? false }
}

/// Changes that the options make to an image on delivery. Cached images are not affected.
extension ImageRequest {
  /// The response to deliver. Suspends only if frames of an animation have to be decoded first.
  func delivered(_ response: ImageResponse) async -> ImageResponse {
    guard let options = optionsBox?.options else { return response }
    var response = response
    if options.preloadsFrames == true, let frames = response.image.animation?.decodedFrames {
      // The frames before a damaged one are decoded all the same.
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
    if let scale = options.scaleFactor { image.scale = scale }
    guard let modifier = options.imageModifier else { return image }
    var modified = modifier(image)
    // A view compares the versions of what it shows and of what it has revalidated.
    if modified.facts.freshness != image.facts.freshness { modified.facts.freshness = image.facts.freshness }
    return modified
  }
}
