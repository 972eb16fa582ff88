import HalcyonImaging
public import HalcyonSupport
public import HalcyonHTTP
import HalcyonCache

/// Short names of ``ImageRequest/options`` that are used often. What the request leaves open shows as the library's
/// default; its pipeline may have another one.
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
  /// ``RequestOptions/timeout``.
  public var timeout: Duration? {
    get { optionsBox?.options.timeout }
    set { options.timeout = newValue }
  }
}

/// The other options as the pipeline sees them, once its defaults are filled in.
extension ImageRequest {
  var waitsForStore: Bool { optionsBox?.options.waitsForStore ?? false }
  var storage: StoragePolicy { optionsBox?.options.storage ?? .original }
  var keepsOriginal: Bool { optionsBox?.options.keepsOriginal ?? true }
  /// Whether the store gets the bytes in any case.
  var storesOriginal: Bool { keepsOriginal || storage.keyText == nil }
  var memoryExtension: ExpirationExtension { optionsBox?.options.memoryExtension ?? .renewed }
  var firstFrameOnly: Bool { optionsBox?.options.firstFrameOnly ?? false }
  var preloadsFrames: Bool { optionsBox?.options.preloadsFrames ?? false }
  /// Whether there is something that is to be done to every picture of an animation.
  var processesFrames: Bool { !processors.isEmpty && !firstFrameOnly && optionsBox?.options.processesFrames ?? false }

  /// The same request with the size that its options make of it, and with what is open filled in; twice is as once.
  func resolved(over defaults: OptionsBox?) -> ImageRequest {
    var request = self
    if let defaults {
      request.optionsBox = optionsBox.map { OptionsBox($0.options.over(defaults.options)) } ?? defaults
    }
    guard let box = request.optionsBox else { return request }
    if box.options.usesOriginalSize == true {
      request.size = .original
    } else if let scale = box.options.downsamplingScale, scale != 1 {
      request.size = size.scaled(by: scale)
      request.options.downsamplingScale = 1
    }
    return request
  }
}
