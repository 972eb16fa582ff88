import HalcyonHTTP
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
    if let box = optionsBox, box.content != nil, box.options.cachePolicy == nil {
      // Only a policy of the request itself lets the response to a request other than a plain GET be cached.
      request.options.cachePolicy = .disabled
    }
    if let defaults {
      guard let box = request.optionsBox else {
        request.optionsBox = defaults
        return request
      }
      if box === defaults || box.defaults === defaults { return request }
      request.optionsBox = box.over(defaults)
    } else if let box = request.optionsBox, box.pipelinePolicyValue != nil {
      // The request was resolved by a pipeline with an address policy, and is used with one without.
      request.optionsBox = OptionsBox(box.options, content: box.content, bodyHash: box.bodyHash)
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
  /// The method and the body of the request; `nil` for a plain GET.
  let content: RequestContent?
  /// The value of cache keys for the body. It may be secret, so it is a hash.
  let bodyHash: String?

  init(
    _ options: RequestOptions, pipelinePolicyValue: String? = nil, defaults: OptionsBox? = nil,
    content: RequestContent? = nil, bodyHash: String? = nil
  ) {
    self.options = options
    self.pipelinePolicyValue = pipelinePolicyValue
    self.defaults = defaults
    (self.content, self.bodyHash) = (content, bodyHash)
    policyValue = if let transport = options.transportHook { transport.policyValue } else { pipelinePolicyValue }
  }

  /// Other options of the same request.
  convenience init(_ options: RequestOptions, like box: OptionsBox?) {
    self.init(options, pipelinePolicyValue: box?.pipelinePolicyValue, content: box?.content, bodyHash: box?.bodyHash)
  }

  /// The options of the request over the defaults of a pipeline.
  func over(_ defaults: OptionsBox) -> OptionsBox {
    OptionsBox(
      options.over(defaults.options), pipelinePolicyValue: defaults.pipelinePolicyValue, defaults: defaults,
      content: content, bodyHash: bodyHash)
  }
}
