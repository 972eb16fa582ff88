public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import Foundation

/// What to load and how to show it. A value: changing a copy changes no other.
public struct ImageRequest: Sendable {
  /// Where the bytes come from.
  public var source: ImageSource
  /// The size wanted in pixels; the image is decoded at this size. Default: the original one.
  public var size: TargetSize
  /// Changes to the decoded image, applied in order. Default: none.
  public var processors: [any ImageProcessor]
  /// Fields that are sent along to `http` and `https` sources. They are part of the key: requests that differ in them
  /// share nothing. Default: none.
  public var headers: HTTPHeaders
  /// Sources to try in this order when the first fails, a cancellation apart. Default: none.
  public var alternatives: [ImageSource] = []
  /// A source with less data, taken instead where ``PipelineConfiguration/prefersLowData`` says so and no cache has
  /// the image. Default: `nil`.
  public var lowDataSource: ImageSource?
  /// Whom the image is loaded for. Requests of different identities share nothing; only its hash enters the keys.
  /// Default: that of the pipeline's ``RequestModifier``, where there is one.
  public var identity: String?

  var optionsBox: OptionsBox?

  /// How the image is loaded, kept and handed out, where that is to differ from the pipeline's
  /// ``PipelineConfiguration/defaultOptions``. Default: nothing is set.
  public var options: RequestOptions {
    get { optionsBox?.options ?? RequestOptions() }
    set { optionsBox = OptionsBox(newValue) }
  }

  /// Creates a request for an address.
  public init(
    url: URL, size: TargetSize = .original, processors: [any ImageProcessor] = [],
    headers: HTTPHeaders = HTTPHeaders(), priority: ImagePriority? = nil, cachePolicy: CachePolicy? = nil,
    freshness: FreshnessPolicy? = nil, options: RequestOptions? = nil
  ) {
    self.init(
      source: .url(url), size: size, processors: processors, headers: headers, priority: priority,
      cachePolicy: cachePolicy, freshness: freshness, options: options)
  }

  /// Creates a request for any source.
  ///
  /// - Parameters:
  ///   - priority: Sets ``RequestOptions/priority``.
  ///   - cachePolicy: Sets ``RequestOptions/cachePolicy``.
  ///   - freshness: Sets ``RequestOptions/freshness``.
  ///   - options: All other options.
  public init(
    source: ImageSource, size: TargetSize = .original, processors: [any ImageProcessor] = [],
    headers: HTTPHeaders = HTTPHeaders(), priority: ImagePriority? = nil, cachePolicy: CachePolicy? = nil,
    freshness: FreshnessPolicy? = nil, options: RequestOptions? = nil
  ) {
    self.source = source
    self.size = size
    self.processors = processors
    self.headers = headers
    guard options != nil || priority != nil || cachePolicy != nil || freshness != nil else { return }
    var options = options ?? RequestOptions()
    options.priority = priority ?? options.priority
    options.cachePolicy = cachePolicy ?? options.cachePolicy
    options.freshness = freshness ?? options.freshness
    optionsBox = OptionsBox(options)
  }
}
