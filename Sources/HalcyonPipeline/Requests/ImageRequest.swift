import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import Foundation

/// An image to load: its source, target size, processors and options.
///
/// Every option of ``RequestOptions`` is a property of the request: `request.tags = ["avatar"]`.
@dynamicMemberLookup
public struct ImageRequest: Sendable {
  /// The source of the image.
  public var source: ImageSource {
    get { contents.fields.source }
    set {
      change {
        ($0.source, $0.mapping) = (newValue, nil)
      }
    }
  }
  /// The target size in pixels; the image is decoded at this size. Default: `nil`, the size of the view that shows the
  /// image, without a view the original size.
  ///
  /// No effect where only bytes are loaded, as by ``ImagePipeline/data(for:onProgress:)``.
  public var size: TargetSize? {
    get { contents.fields.size }
    set { change { $0.size = newValue } }
  }
  /// The part of the image to decode, in pixels of the whole image with its orientation applied. Default: `nil`, all of it.
  ///
  /// ``size`` applies to the region as if that were the whole image. Of most formats only the region is decoded. One that
  /// is empty or not inside the image fails with ``ImageDecodingError/invalidRegion(_:of:)``. No effect where only bytes are
  /// loaded.
  public var region: PixelArea? {
    get { contents.fields.region }
    set { change { $0.region = newValue } }
  }
  /// Processors of the decoded image, applied in order. Default: none.
  ///
  /// No effect where only bytes are loaded, as by ``ImagePipeline/data(for:onProgress:)``.
  public var processors: [any ImageProcessor] {
    get { contents.fields.processors }
    set { change { $0.processors = newValue } }
  }
  /// Additional headers for `http` and `https` sources. Default: none.
  ///
  /// They are part of the cache key, as hashes: requests with different headers share neither loads nor cached images. The
  /// URL of an alternative on another origin gets those only that a redirect to it would, and so no credentials.
  public var headers: HTTPHeaders {
    get { contents.fields.headers }
    set { change { $0.headers = newValue } }
  }
  /// Sources to try in this order after ``source`` has failed. Default: none.
  ///
  /// A cancelled load tries no alternative.
  public var alternatives: [ImageSource] {
    get { contents.fields.alternatives }
    set { change { $0.alternatives = newValue } }
  }
  /// A smaller version of the image, loaded instead if ``PipelineConfiguration/prefersLowData`` returns `true` and no
  /// cache has the image. Default: `nil`.
  public var lowDataSource: ImageSource? {
    get { contents.fields.lowDataSource }
    set { change { $0.lowDataSource = newValue } }
  }
  /// The user that the image is loaded for. Default: ``RequestModifier/identity`` of the pipeline's modifier, if any.
  ///
  /// Requests with different identities share neither loads nor cached images. Cache keys contain only its hash.
  public var identity: String? {
    get { contents.fields.identity }
    set { change { $0.identity = newValue } }
  }

  /// What the mapper of a pipeline has made this request of; `nil` if none has, and after a change of the source.
  var mapping: RequestMapping? {
    get { contents.fields.mapping }
    set { change { $0.mapping = newValue } }
  }

  var optionsBox: OptionsBox? {
    get { contents.fields.optionsBox }
    set { change { $0.optionsBox = newValue } }
  }

  private struct Fields: Sendable {
    var source: ImageSource
    var size: TargetSize?
    var region: PixelArea?
    var processors: [any ImageProcessor]
    var headers: HTTPHeaders
    var alternatives: [ImageSource] = []
    var lowDataSource: ImageSource?
    var identity: String?
    var optionsBox: OptionsBox?
    var mapping: RequestMapping?
  }

  /// The fields behind one reference, since each step of a load copies the request and keeps it while it waits.
  private final class Contents: Sendable {
    let fields: Fields

    init(_ fields: Fields) {
      self.fields = fields
    }
  }

  private var contents: Contents

  /// Whether both are copies of one request that has not been changed since, which takes no comparison of their properties.
  package func isIdentical(to other: ImageRequest) -> Bool { contents === other.contents }

  private mutating func change(_ change: (inout Fields) -> Void) {
    var fields = contents.fields
    change(&fields)
    contents = Contents(fields)
  }

  /// Options that override ``PipelineConfiguration/options`` of the pipeline. Default: all `nil`.
  public var options: RequestOptions {
    get { optionsBox?.options ?? RequestOptions() }
    set { optionsBox = OptionsBox(newValue, like: optionsBox) }
  }

  /// An option of ``options``; `nil` if the request does not set it.
  public subscript<Value>(dynamicMember option: WritableKeyPath<RequestOptions, Value?>) -> Value? {
    get { optionsBox?.options[keyPath: option] }
    set { options[keyPath: option] = newValue }
  }

  /// Creates a request for a URL.
  ///
  /// ```swift
  /// ImageRequest(url: url, size: .fit(width: 400)) { $0.priority = .high }
  /// ```
  public init(
    url: URL, size: TargetSize? = nil, processors: [any ImageProcessor] = [], headers: HTTPHeaders = [:],
    _ configure: (inout ImageRequest) -> Void = { _ in }
  ) {
    self.init(source: .url(url), size: size, processors: processors, headers: headers, configure)
  }

  /// Creates a request for any source.
  ///
  /// - Parameters:
  ///   - source: Where the image comes from.
  ///   - size: The size in pixels to decode it at. Default: the size of its view, or its own size.
  ///   - processors: The processors, in order.
  ///   - headers: Header fields of the HTTP request.
  ///   - configure: Sets options and other properties of the request.
  public init(
    source: ImageSource, size: TargetSize? = nil, processors: [any ImageProcessor] = [],
    headers: HTTPHeaders = [:], _ configure: (inout ImageRequest) -> Void = { _ in }
  ) {
    contents = Contents(Fields(source: source, size: size, processors: processors, headers: headers))
    configure(&self)
  }
}

extension ImageRequest {
  /// A request for the image cached under a custom key; no network is used.
  ///
  /// ```swift
  /// try await pipeline.store(original: bytes, for: .cached("avatar/17"))
  /// let avatar = try await pipeline.image(for: .cached("avatar/17", size: .fit(width: 64, height: 64)))
  /// ```
  ///
  /// The key is that of an ``ImageSource`` with a key: images loaded from it are found by the key, without resolving a URL.
  /// If the image is not cached, loading throws ``ImageError/notCached(key:)``. No ``CachePolicy`` changes that: there is
  /// nothing to load again.
  public static func cached(
    _ key: String, size: TargetSize? = nil, _ configure: (inout ImageRequest) -> Void = { _ in }
  ) -> ImageRequest {
    ImageRequest(source: .onlyCached(key: key), size: size) {
      $0.cachePolicy = .cacheOnly
      configure(&$0)
    }
  }
}
