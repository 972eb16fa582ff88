import HalcyonSupport

extension RequestOptions {
  private static let shared = Lock(RequestOptions())

  /// What all pipelines take for what their own default options leave open. Default: nothing is set.
  ///
  /// A pipeline takes them over when it is made, the shared one when it is first used: set them where the program
  /// starts. Safe from any thread.
  public static var global: RequestOptions {
    get { shared.withLock(\.self) }
    set {
      let old = shared.withLock { options in
        defer { options = newValue }
        return options
      }
      withExtendedLifetime(old) {}
    }
  }

  /// These options, and those of `defaults` where these leave something open.
  public func over(_ defaults: RequestOptions) -> RequestOptions {
    var options = self
    options.priority = priority ?? defaults.priority
    options.timeout = timeout ?? defaults.timeout
    options.previews = previews ?? defaults.previews
    options.cachePolicy = cachePolicy ?? defaults.cachePolicy
    options.freshness = freshness ?? defaults.freshness
    options.usesETags = usesETags ?? defaults.usesETags
    options.showsStaleFirst = showsStaleFirst ?? defaults.showsStaleFirst
    options.targetCache = targetCache ?? defaults.targetCache
    options.originalCache = originalCache ?? defaults.originalCache
    options.waitsForStore = waitsForStore ?? defaults.waitsForStore
    options.storage = storage ?? defaults.storage
    options.keepsOriginal = keepsOriginal ?? defaults.keepsOriginal
    options.memoryExpiration = memoryExpiration ?? defaults.memoryExpiration
    options.storeExpiration = storeExpiration ?? defaults.storeExpiration
    options.memoryExtension = memoryExtension ?? defaults.memoryExtension
    options.storeExtension = storeExtension ?? defaults.storeExtension
    options.tags = tags ?? defaults.tags
    options.isPinned = isPinned ?? defaults.isPinned
    options.fileExtension = fileExtension ?? defaults.fileExtension
    options.usesOriginalSize = usesOriginalSize ?? defaults.usesOriginalSize
    options.downsamplingScale = downsamplingScale ?? defaults.downsamplingScale
    options.scaleFactor = scaleFactor ?? defaults.scaleFactor
    options.allowsPartialImage = allowsPartialImage ?? defaults.allowsPartialImage
    options.firstFrameOnly = firstFrameOnly ?? defaults.firstFrameOnly
    options.preloadsFrames = preloadsFrames ?? defaults.preloadsFrames
    options.processesFrames = processesFrames ?? defaults.processesFrames
    options.imageModifier = imageModifier ?? defaults.imageModifier
    options.callbackExecutor = callbackExecutor ?? defaults.callbackExecutor
    return options
  }
}

extension RequestOptions {
  /// Whether everything is open. Slow: it looks at every option, also at those to come.
  var isEmpty: Bool {
    Mirror(reflecting: self).children.allSatisfy { option in Mirror(reflecting: option.value).children.isEmpty }
  }
}

/// The options of a request, behind one reference: requests are copied at every hit in memory.
final class OptionsBox: Sendable {
  let options: RequestOptions

  init(_ options: RequestOptions) {
    self.options = options
  }
}
