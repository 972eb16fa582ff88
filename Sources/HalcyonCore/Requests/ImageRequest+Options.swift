/// Short names of ``ImageRequest/options`` that are used often. What the request leaves open shows as the library's
/// default; its pipeline may have another one.
extension ImageRequest {
  /// ``RequestOptions/priority``.
  public var priority: ImagePriority {
    get { given?.options.priority ?? .normal }
    set { options.priority = newValue }
  }
  /// ``RequestOptions/cachePolicy``.
  public var cachePolicy: CachePolicy {
    get { given?.options.cachePolicy ?? CachePolicy() }
    set { options.cachePolicy = newValue }
  }
  /// ``RequestOptions/freshness``.
  public var freshness: FreshnessPolicy {
    get { given?.options.freshness ?? .respect }
    set { options.freshness = newValue }
  }
  /// ``RequestOptions/usesETags``.
  public var usesETags: Bool {
    get { given?.options.usesETags ?? true }
    set { options.usesETags = newValue }
  }
  /// ``RequestOptions/showsStaleFirst``.
  public var showsStaleFirst: Bool {
    get { given?.options.showsStaleFirst ?? false }
    set { options.showsStaleFirst = newValue }
  }
  /// ``RequestOptions/previews``.
  public var previews: PreviewPolicy? {
    get { given?.options.previews }
    set { options.previews = newValue }
  }
  /// ``RequestOptions/allowsPartialImage``.
  public var allowsPartialImage: Bool {
    get { given?.options.allowsPartialImage ?? false }
    set { options.allowsPartialImage = newValue }
  }
  /// ``RequestOptions/timeout``.
  public var timeout: Duration? {
    get { given?.options.timeout }
    set { options.timeout = newValue }
  }
}

/// The other options as the pipeline sees them, once its defaults are filled in.
extension ImageRequest {
  var waitsForStore: Bool { given?.options.waitsForStore ?? false }
  var storage: StorageProfile { given?.options.storage ?? .original }
  var keepsOriginal: Bool { given?.options.keepsOriginal ?? true }
  /// Whether the store gets the bytes in any case.
  var storesOriginal: Bool { keepsOriginal || storage.keyText == nil }
  var memoryExtension: ExpirationExtension { given?.options.memoryExtension ?? .cacheTime }
  var firstFrameOnly: Bool { given?.options.firstFrameOnly ?? false }
  var preloadsFrames: Bool { given?.options.preloadsFrames ?? false }
  /// Whether there is something that is to be done to every picture of an animation.
  var processesFrames: Bool { !processors.isEmpty && !firstFrameOnly && given?.options.processesFrames ?? false }

  /// The same request with the size that its options make of it, and with what is open filled in; twice is as once.
  func resolved(over defaults: GivenOptions?) -> ImageRequest {
    var request = self
    if let defaults {
      request.given = given.map { GivenOptions($0.options.over(defaults.options)) } ?? defaults
    }
    guard let given = request.given else { return request }
    if given.options.usesOriginalSize == true {
      request.size = .original
    } else if let scale = given.options.downsamplingScale, scale != 1 {
      request.size = size.scaled(by: scale)
      request.options.downsamplingScale = 1
    }
    return request
  }
}
