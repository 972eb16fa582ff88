import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// One request of the pipeline, before retries, redirects and the request modifier.
final class HTTPRequest: Sendable {
  let target: HTTPURL
  /// The fields of the image request and of the pipeline.
  let headers: HTTPHeaders
  /// The validators of the stored response, and other fields that the cache adds.
  let cacheFields: HTTPHeaders
  /// The stored response that the request may revalidate.
  let stored: EntryMetadata?
  /// The redirects that the last attempt followed, which limit how long its failure is remembered.
  let redirects = Lock<[EntryMetadata.Redirect]>([])
  /// The fetch key.
  let key: CacheKey
  let readsStore: Bool
  let writesStore: Bool
  /// Stores the partial body of an interrupted download.
  let cache: ImageCache
  let watch: RemovalWatch
  /// Whether the request is sent even if it failed a moment ago.
  let ignoresRememberedFailures: Bool
  /// Whether a download that an earlier load began is resumed.
  let resumesStoredBody: Bool
  /// Whether an entity tag identifies the bytes (``RequestOptions/usesETags``).
  let usesETags: Bool
  /// The options of the image request, for its hooks.
  let optionsBox: OptionsBox?

  /// - Parameter lookup: The look-up in the store before; `nil` without a store.
  init(
    _ request: ImageRequest, to target: HTTPURL, key: CacheKey, after lookup: CacheLookup?, _ watch: RemovalWatch,
    _ configuration: PipelineConfiguration
  ) {
    self.target = target
    self.key = key
    self.watch = watch
    stored = lookup?.revalidated
    var cacheFields = lookup?.addedFields ?? HTTPHeaders()
    if lookup == nil, request.freshness.contactsServerFirst { cacheFields["Cache-Control"] = "no-cache" }
    self.cacheFields = cacheFields
    headers = request.headers.adding(configuration.headers)
    (readsStore, writesStore) = (request.readsStore, request.writesStore)
    cache = configuration.cache(for: request)
    optionsBox = request.optionsBox
    ignoresRememberedFailures = request.freshness.contactsServerFirst || request.optionsBox?.content != nil
    resumesStoredBody = request.freshness != .reload
    usesETags = request.revalidatesByETag
  }

  /// The validators of ``stored``.
  var validators: HTTPHeaders { cacheFields.filter { $0.name != "Cache-Control" } }

  /// The method and the body; `nil` for a plain GET.
  var content: RequestContent? { optionsBox?.content }

  /// Whether a transfer that was interrupted can be continued: the body belongs to a GET.
  var isResumable: Bool { content == nil }

  /// The key under which a failure is remembered: another decoder may succeed.
  var failureKey: CacheKey { optionsBox?.options.failureKey(key) ?? key }

  var url: URL { target.url }

  var origin: Origin { target.origin }
}

extension RequestOptions {
  /// The key under which a failure of these options is remembered.
  func failureKey(_ key: CacheKey) -> CacheKey {
    decoderHook.map { key.adding("decoder", $0.identity) } ?? key
  }
}

extension ImageRequest {
  func failureKey(_ key: CacheKey) -> CacheKey { optionsBox?.options.failureKey(key) ?? key }
}

/// The result of a request that succeeded.
enum HTTPResult: Sendable {
  case response(HTTPResponse)
  /// Status 304: the stored response is still valid. The store may keep the new head if it is storable.
  indirect case notModified(EntryMetadata, isStorable: Bool)
}

/// A complete body that begins like an image, and its head.
final class HTTPResponse: Sendable {
  let data: Data
  let info: ImageInfo
  let metadata: EntryMetadata
  /// Whether the store may keep the response.
  let isStorable: Bool

  init(data: Data, info: ImageInfo, metadata: EntryMetadata, isStorable: Bool) {
    self.data = data
    self.info = info
    self.metadata = metadata
    self.isStorable = isStorable
  }
}
