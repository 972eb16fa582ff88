public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import HalcyonCache
public import Foundation

/// What a pipeline is made of. It is copied when the pipeline is made.
public struct PipelineConfiguration: Sendable {
  /// What moves bytes from web servers.
  public var transport: any Transport
  /// What reads images. The first that lists a format reads it.
  public var decoders: [any ImageDecoder]
  /// What writes images. The first of a format writes it.
  public var encoders: [any ImageEncoder]
  /// Where images are kept.
  public var cache: ImageCache
  /// Options for what requests leave open, over ``RequestOptions/global``. Default: nothing is set.
  public var defaultOptions = RequestOptions()
  /// What an image may be at most.
  public var limits: ImageLimits
  /// How long a transfer may take and how large the head of an answer may be.
  public var transportLimits: TransportLimits
  /// How long answers of web servers are fresh. Default: as HTTP has it for a cache of one user; an answer that says
  /// nothing about caching at all is fresh for 7 days.
  public var httpCaching: HTTPCacheRules
  /// Whether what is stored is shown, however old, when its server cannot be reached, unless it demands to be asked
  /// for. Default: yes.
  public var showsStaleWhenUnreachable: Bool
  /// Redirects that are followed for one request. Default: 10.
  public var redirectLimit: Int
  /// Transfers that go on at once. A pipeline's own can be changed later: ``ImagePipeline/connectionLimits``.
  public var connectionLimits: ConnectionLimits
  /// When a load that failed is tried again. Default: three attempts, ``ExponentialBackoff``.
  public var retryStrategy: any RetryStrategy
  /// What a retry waits for, besides its delay, when no server was reached: ``SystemConnectivity``, or one of your own.
  /// Default: `nil`, nothing.
  public var connectivity: (any Connectivity)?
  /// Retries that all loads together may do when none succeeds; every ten loads that succeed earn one back.
  /// Default: 20.
  public var retryBudget: Int
  /// For how long failures are remembered. Default: a few seconds, see ``FailureLifetimes``.
  public var failureLifetimes: FailureLifetimes
  /// Changes requests before they are sent, and renews credentials. Default: none.
  public var requestModifier: (any RequestModifier)?
  /// Asked before a redirect is followed: gets the address that redirects and the request that would be made, and
  /// gives the request to make, or `nil` to refuse. Default: `nil`, all redirects to `http` and `https` are followed.
  public var redirectHandler: (@Sendable (URL, TransportRequest) async throws -> TransportRequest?)?
  /// Looks at the head of every answer of 200–299 before its body is read; an error refuses it. Default: none.
  public var responseValidator: (@Sendable (ResponseHead) async throws -> Void)?
  /// The shortest time between two reports of progress; the first and the last are always made.
  /// Default: 50 milliseconds.
  public var progressInterval: Duration
  /// Told what the pipeline does, see ``PipelineEvent``: called when no lock is held, on the thread that did it, which
  /// waits meanwhile. Default: `nil`, nobody, which costs nothing.
  public var eventHandler: (@Sendable (PipelineEvent) -> Void)?
  /// Asked whether the network is one on which data should be saved: ``ImageRequest/lowDataSource`` is taken then.
  /// Default: never.
  public var prefersLowData: @Sendable () -> Bool
  /// Whether a stand-in of each image is stored with it: ``ImagePipeline/placeholder(for:)``. It takes up to 25 bytes, and
  /// a fraction of a millisecond once. It shows the whole picture, so none is made by a load that crops it or changes its
  /// shape: ``TargetSize/fill(width:height:)`` and the like. Default: yes.
  public var makesPlaceholders = true
  /// Threads that decode and process, at least 1. Default: one for each processor.
  public var decodingWidth: Int
  /// Fields sent with every request unless it has them itself. Default: the name of the library, and in `Accept` the
  /// formats of the decoders given to the initialiser.
  public var headers: HTTPHeaders
  /// The clocks of time limits, freshness, previews and the delays of views. Caches have clocks of their own.
  public var time: any TimeSource

  /// Creates a configuration with the defaults named at each property.
  public init(
    transport: any Transport, decoders: [any ImageDecoder], encoders: [any ImageEncoder] = [],
    cache: ImageCache = ImageCache(), time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.decoders = decoders
    self.encoders = encoders
    self.cache = cache
    self.time = time
    limits = ImageLimits()
    transportLimits = TransportLimits()
    httpCaching = HTTPCacheRules(defaultLifetime: .seconds(7 * 86_400))
    showsStaleWhenUnreachable = true
    redirectLimit = 10
    connectionLimits = ConnectionLimits()
    retryStrategy = ExponentialBackoff()
    retryBudget = 20
    failureLifetimes = FailureLifetimes()
    progressInterval = .milliseconds(50)
    prefersLowData = { false }
    decodingWidth = Self.processorCount
    headers = ["Accept": Self.acceptField(decoders), "User-Agent": "Halcyon/0.1"]
  }
}

extension PipelineConfiguration {
  /// Servers that have an image in several formats choose by this field (RFC 9110, 12.5.1).
  private static func acceptField(_ decoders: [any ImageDecoder]) -> String {
    let readable = decoders.reduce(into: Set<ImageFormat>()) { $0.formUnion($1.formats) }
    let types = ImageFormat.allCases.filter(readable.contains).map(\.mediaType)
    return (types + ["image/*;q=0.5", "*/*;q=0.3"]).joined(separator: ",")
  }
}
