import HalcyonImaging

extension RequestOptions {
  /// These options, with those that are `nil` taken from `defaults`.
  public func over(_ defaults: RequestOptions) -> RequestOptions {
    var options = self
    options.priority = priority ?? defaults.priority
    options.timeout = timeout ?? defaults.timeout
    options.previews = previews ?? defaults.previews
    options.keepsPreviews = keepsPreviews ?? defaults.keepsPreviews
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
    options.userInfo = userInfo ?? defaults.userInfo
    options.returnsEncodedData = returnsEncodedData ?? defaults.returnsEncodedData
    options.retryHook = retryHook ?? defaults.retryHook
    options.modifierHook = modifierHook ?? defaults.modifierHook
    options.redirectHook = redirectHook ?? defaults.redirectHook
    options.validatorHook = validatorHook ?? defaults.validatorHook
    options.transformHook = transformHook ?? defaults.transformHook
    options.transportHook = transportHook ?? defaults.transportHook
    options.decoderHook = decoderHook ?? defaults.decoderHook
    return options
  }
}

extension RequestOptions {
  /// Whether all options are `nil`. Slow: uses reflection, so that it needs no change for a new option.
  var isEmpty: Bool {
    Mirror(reflecting: self).children.allSatisfy { option in Mirror(reflecting: option.value).children.isEmpty }
  }
}

extension ImageRequest {
  /// The request with `defaults` filled in, and with the size that its options result in. Idempotent.
  func resolved(over defaults: OptionsBox?) -> ImageRequest {
    var request = completed(by: defaults)
    guard let box = request.optionsBox else { return request }
    if box.options.usesOriginalSize == true {
      request.size = .original
    } else if let scale = box.options.downsamplingScale, scale != 1 {
      request.size = size.scaled(by: scale)
      request.options.downsamplingScale = 1
    }
    return request
  }

  /// The request with `defaults` filled in. Idempotent.
  func completed(by defaults: OptionsBox?) -> ImageRequest {
    var request = self
    if let defaults {
      guard let box = optionsBox else {
        request.optionsBox = defaults
        return request
      }
      if box === defaults || box.defaults === defaults { return self }
      request.optionsBox = OptionsBox(
        box.options.over(defaults.options), pipelinePolicyValue: defaults.pipelinePolicyValue, defaults: defaults)
    } else if let box = optionsBox, box.pipelinePolicyValue != nil {
      // The request was resolved by a pipeline with an address policy, and is used with one without.
      request.optionsBox = OptionsBox(box.options)
    }
    return request
  }
}

/// The options of a request behind one reference, since every memory hit copies the request.
final class OptionsBox: Sendable {
  let options: RequestOptions
  /// The value of cache keys for the address policy of the pipeline that resolved the request.
  let pipelinePolicyValue: String?
  /// The value of cache keys for the address policy of the request: that of its own transport, or else of the pipeline.
  let policyValue: String?
  /// The default options that have been filled in.
  let defaults: OptionsBox?

  init(_ options: RequestOptions, pipelinePolicyValue: String? = nil, defaults: OptionsBox? = nil) {
    self.options = options
    self.pipelinePolicyValue = pipelinePolicyValue
    self.defaults = defaults
    policyValue = if let transport = options.transportHook { transport.policyValue } else { pipelinePolicyValue }
  }
}
