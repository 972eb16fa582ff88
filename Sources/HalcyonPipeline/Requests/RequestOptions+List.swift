/// Sees every option of a request.
protocol RequestOptionVisitor {
  mutating func visit<Value>(_ name: StaticString, _ option: WritableKeyPath<RequestOptions, Value?>)
}

extension RequestOptions {
  /// Every option, once: merging, emptiness and the description follow from this list.
  ///
  /// Inlined with its visitor, so that the compiler replaces the key paths by the properties: merging is as fast as
  /// written by hand. A dictionary of options would look up each of them in every load, and a macro would bring a
  /// package. `RequestOptionListTests` fails if an option is missing.
  @inline(__always)
  static func visitAll(_ visitor: inout some RequestOptionVisitor) {
    visitor.visit("priority", \.priority)
    visitor.visit("timeout", \.timeout)
    visitor.visit("previews", \.previews)
    visitor.visit("cachePolicy", \.cachePolicy)
    visitor.visit("memoryAccess", \.memoryAccess)
    visitor.visit("storeAccess", \.storeAccess)
    visitor.visit("usesETags", \.usesETags)
    visitor.visit("cache", \.cache)
    visitor.visit("waitsForStore", \.waitsForStore)
    visitor.visit("storage", \.storage)
    visitor.visit("memoryExpiration", \.memoryExpiration)
    visitor.visit("storeExpiration", \.storeExpiration)
    visitor.visit("tags", \.tags)
    visitor.visit("isPinned", \.isPinned)
    visitor.visit("scale", \.scale)
    visitor.visit("colorSpace", \.colorSpace)
    visitor.visit("dynamicRange", \.dynamicRange)
    visitor.visit("originalPixelLimit", \.originalPixelLimit)
    visitor.visit("allowsPartialImage", \.allowsPartialImage)
    visitor.visit("allowsErrorImage", \.allowsErrorImage)
    visitor.visit("animation", \.animation)
    visitor.visit("imageModifier", \.imageModifier)
    visitor.visit("userInfo", \.userInfo)
    visitor.visit("keepsEncodedData", \.keepsEncodedData)
    visitor.visit("retryStrategy", \.retryHook)
    visitor.visit("requestModifier", \.modifierHook)
    visitor.visit("redirectHandler", \.redirectHook)
    visitor.visit("responseValidator", \.validatorHook)
    visitor.visit("dataTransform", \.transformHook)
    visitor.visit("decoder", \.decoderHook)
  }

  /// These options, with those that are `nil` taken from `defaults`.
  package func over(_ defaults: RequestOptions) -> RequestOptions {
    var merge = Merge(options: self, defaults: defaults)
    Self.visitAll(&merge)
    return merge.options
  }

  /// Whether all options are `nil`.
  var isEmpty: Bool {
    var count = Count(options: self)
    Self.visitAll(&count)
    return count.value == 0
  }
}

extension RequestOptions {
  /// The names of the options that are set, for example `priority, tags`; `default` if none is.
  ///
  /// Without values, which may be secret or long.
  package var description: String {
    var names = Names(options: self)
    Self.visitAll(&names)
    return names.list.isEmpty ? "default" : names.list.joined(separator: ", ")
  }
}

private struct Merge: RequestOptionVisitor {
  var options: RequestOptions
  let defaults: RequestOptions

  @inline(__always)
  mutating func visit<Value>(_ name: StaticString, _ option: WritableKeyPath<RequestOptions, Value?>) {
    if options[keyPath: option] == nil { options[keyPath: option] = defaults[keyPath: option] }
  }
}

private struct Count: RequestOptionVisitor {
  let options: RequestOptions
  var value = 0

  @inline(__always)
  mutating func visit<Value>(_ name: StaticString, _ option: WritableKeyPath<RequestOptions, Value?>) {
    if options[keyPath: option] != nil { value += 1 }
  }
}

private struct Names: RequestOptionVisitor {
  let options: RequestOptions
  var list: [String] = []

  mutating func visit<Value>(_ name: StaticString, _ option: WritableKeyPath<RequestOptions, Value?>) {
    if options[keyPath: option] != nil { list.append("\(name)") }
  }
}
