import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// One request of a load, before retries, redirects and the request modifier, and the state that its attempts share.
@dynamicMemberLookup
final class HTTPRequest: Sendable {
  /// A response with an error status.
  struct Rejection {
    let head: ResponseHead
    /// The URL for which the request waited.
    let target: HTTPURL
    /// Whether the URL may have expired: it was made some time before the request was sent.
    let mayBeExpired: Bool
  }

  /// What an attempt knows of those before it.
  struct Progress {
    /// The URL; where a closure of the caller resolves it, the first one of its origin, `nil` before.
    var target: HTTPURL?
    /// The redirects that the last attempt followed, which limit how long its failure is remembered.
    var redirects: [EntryMetadata.Redirect] = []
    /// The first bytes of the body, if they are known.
    var partial: PartialBody?
    fileprivate var partialAside: PartialBody?
    /// Whether the store has a partial body, of this load or an earlier one.
    var isPartialStored = false
    /// Whether the attempt has requested the rest of the partial body.
    var requestsRange = false
    /// The image that another load has received for an equal request, and that this load uses too.
    var answered: EncodedImage?
    /// The last attempt's response with an error status; `nil` if it ended otherwise.
    var rejection: Rejection?
    /// Whether the next attempts open connections of their own, since another one has failed.
    var usesNewConnection = false
    /// The failure after which the next request is a retry, which counts in the budget once it is sent.
    var retried: ImageError?
    /// The retries that were sent and count in the budget.
    var retryCount = 0
  }

  let load: Load
  let location: ResolvedSource.Location
  /// Identifies the load while closures of the caller run.
  let link: LoadChain.Link
  /// The look-up in the store before; `nil` without a store.
  let lookup: CacheLookup?
  /// The fields of the image request and of the pipeline.
  let headers: HTTPHeaders
  /// The validators of the stored response, and other fields that the cache adds.
  let cacheFields: HTTPHeaders
  private let progress = Lock(Progress())

  /// - Parameter defaults: The header fields of the pipeline.
  init(
    _ load: Load, at location: ResolvedSource.Location, by link: LoadChain.Link, after lookup: CacheLookup?,
    defaults: HTTPHeaders
  ) {
    self.load = load
    self.location = location
    self.link = link
    self.lookup = lookup
    var cacheFields = lookup?.addedFields ?? HTTPHeaders()
    if lookup == nil, load.resolved.cachePolicy.contactsServerFirst { cacheFields["Cache-Control"] = "no-cache" }
    self.cacheFields = cacheFields
    headers = load.request.headers.adding(defaults)
    if case .known(let url) = location { self.target = url }
  }

  @inline(__always)
  subscript<Value>(dynamicMember field: WritableKeyPath<Progress, Value>) -> Value {
    get { progress.withLock { $0[keyPath: field] } }
    set { progress.withLock { $0[keyPath: field] = newValue } }
  }

  /// The closure that resolves the URL.
  var resolver: ImageSource.Provider<URL>? {
    if case .unresolved(let resolver) = location { resolver } else { nil }
  }

  /// Leaves out the partial body from now on, if the attempt has requested its rest; `false` if it has not.
  func setPartialAside() -> Bool {
    progress.withLock { progress in
      guard progress.requestsRange else { return false }
      (progress.partial, progress.partialAside, progress.requestsRange) = (nil, progress.partial, false)
      return true
    }
  }

  /// Takes back the partial body that was set aside, unless there is a newer one: the failure was not about the range.
  func restorePartial() {
    progress.withLock { $0.partial = $0.partial ?? $0.partialAside }
  }

  var url: URL { self.target?.url ?? load.key.sourceURL }

  /// `nil` before the URL is resolved.
  var origin: Origin? { self.target?.origin }

  /// The options of the image request, for its hooks.
  var optionsBox: OptionsBox? { load.request.optionsBox }

  /// The stored response that the request may revalidate.
  var stored: EntryMetadata? { lookup?.revalidated }

  /// The validators of ``stored``.
  var validators: HTTPHeaders { cacheFields.filter { $0.name != "Cache-Control" } }

  /// The method and the body; `nil` for a plain GET.
  var content: RequestContent? { optionsBox?.content }

  /// The key under which a failure is remembered: another decoder may succeed.
  var failureKey: CacheKey { load.request.failureKey(load.key) }
}

extension ImageRequest {
  /// The key under which a failure is remembered: another decoder may succeed, and a part may be enough.
  func failureKey(_ key: CacheKey) -> CacheKey {
    let key = optionsBox?.options.decoderHook.map { key.adding("decoder", $0.identity) } ?? key
    return resolved.allowsPartialImage ? key.adding("part", "allowed") : key
  }
}

/// The response to a request that succeeded.
final class HTTPResponse: Sendable {
  /// A complete body that begins like an image; `nil` if the stored one is still valid (status 304).
  let image: (data: Data, info: ImageInfo)?
  let metadata: EntryMetadata
  /// Whether the store may keep the response, or the new head of the stored one.
  let isStorable: Bool

  init(_ image: (data: Data, info: ImageInfo)?, _ metadata: EntryMetadata, isStorable: Bool) {
    self.image = image
    self.metadata = metadata
    self.isStorable = isStorable
  }
}
