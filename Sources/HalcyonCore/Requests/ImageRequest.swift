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
  /// Which of several waiting loads goes first. Default: normal. A running task can change its own.
  public var priority: ImagePriority
  /// Which caches are read and written. Default: all.
  public var cachePolicy: CachePolicy
  /// Whether what the caches have is shown as it is, or the server is asked first. Default: as HTTP has it.
  public var freshness: FreshnessPolicy
  /// Whether the server may be asked by the `ETag` of what is stored. Default: yes. Some servers give the same one to
  /// different images.
  public var usesETags = true
  /// Whether a task shows an image that is no longer fresh at once, as ``ImageTask/Event/preview(_:)``, while the server
  /// is asked. Default: no.
  public var showsStaleFirst = false
  /// Whether, and how often, a task shows what has arrived. Default: `nil`, not at all.
  public var previews: PreviewPolicy?
  /// Whether a file that ends early gives the part that is there, as an image that ``DecodedImage/isPartial`` tells and no
  /// cache keeps. Default: no, it is an error.
  public var allowsPartialImage = false
  /// Sources to try in this order when the first fails, a cancellation apart. Default: none.
  public var alternatives: [ImageSource] = []
  /// A source with less data, taken instead where ``ImagePipeline/Configuration/prefersLowData`` says so and no cache has
  /// the image. Default: `nil`.
  public var lowDataSource: ImageSource?
  /// The longest time that the whole load may take, waiting and retries included. Default: `nil`, no limit; single
  /// transfers have limits of their own.
  public var timeout: Duration?
  /// Whom the image is loaded for. Requests of different identities share nothing; only its hash enters the keys.
  /// Default: that of the pipeline's ``RequestModifier``, where there is one.
  public var identity: String?

  /// Creates a request for an address.
  public init(
    url: URL, size: TargetSize = .original, processors: [any ImageProcessor] = [],
    headers: HTTPHeaders = HTTPHeaders(), priority: ImagePriority = .normal, cachePolicy: CachePolicy = CachePolicy(),
    freshness: FreshnessPolicy = .respect
  ) {
    self.init(
      source: .url(url), size: size, processors: processors, headers: headers, priority: priority,
      cachePolicy: cachePolicy, freshness: freshness)
  }

  /// Creates a request for any source.
  public init(
    source: ImageSource, size: TargetSize = .original, processors: [any ImageProcessor] = [],
    headers: HTTPHeaders = HTTPHeaders(), priority: ImagePriority = .normal, cachePolicy: CachePolicy = CachePolicy(),
    freshness: FreshnessPolicy = .respect
  ) {
    self.source = source
    self.size = size
    self.processors = processors
    self.headers = headers
    self.priority = priority
    self.cachePolicy = cachePolicy
    self.freshness = freshness
  }
}

/// Which of several waiting loads goes first.
public enum ImagePriority: Int, Hashable, Sendable, CaseIterable {
  /// Nobody will look soon.
  case veryLow
  /// Prefetching.
  case low
  /// The default.
  case normal
  /// Somebody is looking at the place of the image.
  case high
  /// Nothing else matters.
  case veryHigh
}

extension ImagePriority: Comparable {
  /// Lower means later.
  public static func < (left: ImagePriority, right: ImagePriority) -> Bool { left.rawValue < right.rawValue }
}
