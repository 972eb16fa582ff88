extension ImagePipeline {
  /// What a pipeline is made of. It is copied when the pipeline is made.
  public struct Configuration: Sendable {
    /// What moves bytes from web servers.
    public var transport: any Transport
    /// What reads images. The first that lists a format reads it.
    public var decoders: [any ImageDecoder]
    /// What writes images. The first of a format writes it.
    public var encoders: [any ImageEncoder]
    /// Where images are kept.
    public var cache: ImageCache
    /// What an image may be at most.
    public var limits: ImageLimits
    /// How long a transfer may take and how large the head of an answer may be.
    public var transportLimits: TransportLimits
    /// Redirects that are followed for one request. Default: 10.
    public var redirectLimit: Int
    /// Transfers that go on at once. Default: 24.
    public var connectionLimit: Int
    /// Transfers that go on at once with one host. Default: 6.
    public var connectionLimitPerHost: Int
    /// Threads that decode and process. Default: one for each processor.
    public var decodingWidth: Int
    /// Fields sent with every request unless it has them itself.
    public var headers: HTTPHeaders
    /// The clocks of the caches.
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
      redirectLimit = 10
      connectionLimit = 24
      connectionLimitPerHost = 6
      decodingWidth = Self.processorCount
      headers = ["Accept": "image/png,image/jpeg,image/*;q=0.9,*/*;q=0.5", "User-Agent": "Halcyon/0.1"]
    }
  }
}
