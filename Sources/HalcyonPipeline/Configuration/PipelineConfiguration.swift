public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import HalcyonCache
import Foundation

/// The components, limits and defaults of a pipeline, copied when the pipeline is created.
///
/// ```swift
/// let pipeline = ImagePipeline {
///   $0.options.timeout = .seconds(20)
///   $0.redirectLimit = 3
/// }
/// ```
public struct PipelineConfiguration: Sendable {
  /// Transfers HTTP requests and responses.
  public var transport: any Transport
  /// The image decoders; the first one that supports a format is used for it.
  public var decoders: [any ImageDecoder] {
    didSet { decoderTable = DecoderTable(decoders) }
  }
  private(set) var decoderTable: DecoderTable
  /// The image encoders; the first one for a format is used for it.
  public var encoders: [any ImageEncoder]
  /// The memory cache and the store; ``RequestOptions/cache`` of a request takes their place.
  public var cache: ImageCache
  /// Defaults for options that requests do not set; they override ``RequestOptions/global``. Default: all `nil`.
  public var options = RequestOptions()
  /// Changes each request before its cache keys are made: its source, headers, size, processors and options. Default:
  /// `nil`, which costs nothing.
  ///
  /// ```swift
  /// configuration.requestMapper = { request in
  ///   if let url = request.source.url { request.source = .url(url, key: url.path()) }  // without the query
  /// }
  /// ```
  ///
  /// So a program has schemes of its own, cached under their text, keys without tokens, and a partition for each user. It
  /// applies to every call with a request: views, tasks, batches, prefetching, look-ups, removals and encoded files; and to
  /// each of ``ImageRequest/alternatives`` and ``ImageRequest/lowDataSource``, of whose result the source, the headers and
  /// the identity are used.
  ///
  /// Called at least once for each request, with the default options filled in, on the thread of the caller, for views on
  /// the main thread; a changed request that is used again is not changed again. It has to return the same for the same
  /// request, in any order, and fast: what takes time belongs into a closure of the source. An ``ImageError`` that it throws
  /// fails the call, any other error as the cause of ``ImageError/requestRejected(cause:url:)``; calls that throw nothing
  /// find no image.
  public var requestMapper: (@Sendable (inout ImageRequest) throws -> Void)?
  /// The default options of views, whose type a module above declares.
  package var viewDefaults: (any Sendable)?
  /// The maximum size of an image, encoded and decoded.
  public var limits: ImageLimits
  /// The timeouts of a transfer and the maximum size of response headers.
  public var transportLimits: TransportLimits
  /// The rules for the freshness of HTTP responses. Default: the rules of a private cache (RFC 9111); a response
  /// without any caching headers is fresh for 7 days, one with a validator but without a lifetime for at least 5
  /// minutes.
  public var httpCaching: HTTPCacheRules
  /// Whether a stale image of any age is used when its server cannot be reached, unless its response requires
  /// revalidation (`must-revalidate`, `no-cache`). Default: yes.
  public var showsStaleWhenUnreachable: Bool
  /// The maximum number of redirects that a request follows. Default: 20, as in browsers.
  public var redirectLimit: Int
  /// The limits on concurrent transfers. Default: 24, and 6 per origin.
  public var connectionLimits: ConnectionLimits
  /// Whether the newest of the waiting loads of equal priority is transferred and decoded first, instead of the oldest.
  /// Default: no.
  ///
  /// For lists that are scrolled fast: what is on the screen now is loaded first. A load counts as new when it begins,
  /// and again when its priority changes, for example because its view becomes visible. An old load waits while new
  /// ones begin.
  public var loadsNewestFirst = false
  /// Whether retries wait while the machine is offline, that is, while no network interface other than loopback is up and has
  /// an IP address. Default: no.
  ///
  /// After failures in which no connection was made, in addition to the delay of ``RequestOptions/retryStrategy``.
  public var waitsForConnectivity = false
  /// The interfaces of this machine, for ``waitsForConnectivity``.
  package var connectivity: any Connectivity = SystemConnectivity()
  /// The maximum number of retries of all loads of an origin together while none succeeds. Default: 20.
  ///
  /// A load that succeeds gives back its own retries and a tenth of another. Requests that are sent again after
  /// `Retry-After` do not count.
  public var retryBudget: Int
  /// How long failures are cached. Default: 2 to 10 seconds, see ``FailureLifetimes``.
  public var failureLifetimes: FailureLifetimes
  /// The minimum time between two progress events; the first and the last are always sent. Default: 50 milliseconds.
  public var progressInterval: Duration
  /// Receives every ``PipelineEvent``. Default: `nil`, which costs nothing.
  ///
  /// Called synchronously on the thread of the event, without locks held.
  public var eventHandler: (@Sendable (PipelineEvent) -> Void)?
  /// Whether to save data on the current network by loading ``ImageRequest/lowDataSource``. Default: on Apple's platforms
  /// while Low Data Mode is on for the network, elsewhere never.
  ///
  /// Called for each load of a request that has such a source.
  public var prefersLowData: @Sendable () -> Bool
  /// Whether a ThumbHash placeholder of each image is stored with it, for ``ImagePipeline/cachedPlaceholder(for:)``.
  /// Default: yes.
  ///
  /// A placeholder has up to 25 bytes, and is computed once, in a fraction of a millisecond. It shows the whole image:
  /// loads that crop or distort it (``TargetSize/fill(width:height:anchor:enlarges:)`` and the like) compute none.
  public var makesPlaceholders = true
  /// The number of threads that decode and process images, at least 1. Default: the number of active processors.
  public var decodingThreads: Int
  /// The memory for files that are made from a ``Rendition``.
  package var encodingBudget = MemoryBudget()
  /// Headers sent with every request that does not have them itself. Default: `User-Agent` with the name and version of
  /// the library, and `Accept` with the formats of the decoders passed to the initializer.
  public var headers: HTTPHeaders
  /// The clock of timeouts, freshness, previews and view delays. Caches have their own clocks. Default: ``SystemTime``.
  public var time: any TimeSource

  /// Creates a configuration with the defaults documented at each property.
  package init(
    transport: any Transport, decoders: [any ImageDecoder], encoders: [any ImageEncoder] = [],
    cache: ImageCache = ImageCache(disk: nil), time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.decoders = decoders
    decoderTable = DecoderTable(decoders)
    self.encoders = encoders
    self.cache = cache
    self.time = time
    limits = ImageLimits()
    transportLimits = TransportLimits()
    httpCaching = HTTPCacheRules(defaultLifetime: .seconds(7 * 86_400), validatorLifetime: .seconds(300))
    showsStaleWhenUnreachable = true
    redirectLimit = 20
    connectionLimits = ConnectionLimits()
    retryBudget = 20
    failureLifetimes = FailureLifetimes()
    progressInterval = .milliseconds(50)
    prefersLowData = { false }
    decodingThreads = max(1, ProcessInfo.processInfo.activeProcessorCount)
    headers = Self.defaultHeaders(decoders)
  }

  /// Makes images.
  var renderer: Renderer { Renderer(encoders: encoders, limits: limits) }

  func waitUntilOnline() async throws {
    if waitsForConnectivity { try await connectivity.waitUntilOnline() }
  }
}
