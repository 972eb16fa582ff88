import HalcyonHTTP
import HalcyonImaging

extension ImageRequest {
  /// The request with `defaults` filled in. Idempotent.
  func completed(by defaults: OptionsBox?) -> ImageRequest {
    var request = self
    if let box = optionsBox, box.content != nil, box.options.memoryAccess == nil, box.options.storeAccess == nil {
      // The response to a request other than a plain GET is cached only if the request itself sets an access.
      request.memoryAccess = .disabled
      request.storeAccess = .disabled
    }
    if let defaults {
      guard let box = request.optionsBox else {
        request.optionsBox = defaults
        return request
      }
      if box === defaults || box.defaults === defaults { return request }
      request.optionsBox = box.over(defaults)
    } else if let box = request.optionsBox, box.policyValue != nil {
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
  let policyValue: String?
  /// The default options that have been filled in.
  let defaults: OptionsBox?
  /// The method and the body of the request; `nil` for a plain GET.
  let content: RequestContent?
  /// The value of cache keys for the body. It may be secret, so it is a hash.
  let bodyHash: String?

  init(
    _ options: RequestOptions, policyValue: String? = nil, defaults: OptionsBox? = nil,
    content: RequestContent? = nil, bodyHash: String? = nil
  ) {
    self.options = options
    self.policyValue = policyValue
    self.defaults = defaults
    (self.content, self.bodyHash) = (content, bodyHash)
  }

  /// Other options of the same request.
  convenience init(_ options: RequestOptions, like box: OptionsBox?) {
    self.init(options, policyValue: box?.policyValue, content: box?.content, bodyHash: box?.bodyHash)
  }

  /// The options of the request over the defaults of a pipeline.
  func over(_ defaults: OptionsBox) -> OptionsBox {
    OptionsBox(
      options.over(defaults.options), policyValue: defaults.policyValue, defaults: defaults,
      content: content, bodyHash: bodyHash)
  }
}
