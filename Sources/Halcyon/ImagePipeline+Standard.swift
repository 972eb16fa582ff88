public import HalcyonSupport
public import HalcyonHTTP
public import HalcyonCache
public import HalcyonPipeline

import HalcyonCodecs
import HalcyonTransport

extension ImagePipeline {
  /// Creates a pipeline with the platform's transport and all codecs of this build.
  ///
  /// - Parameters:
  ///   - transport: The transport for HTTP requests. Default: that of this platform, shared.
  ///   - cache: The cache for images. Default: a memory cache and a disk cache.
  ///   - time: The clocks of the pipeline; pass the same to the cache. Default: the system's.
  public convenience init(
    transport: any Transport = standardTransport, cache: ImageCache = ImageCache(), time: any TimeSource = SystemTime()
  ) {
    self.init(configuration: .standard(transport: transport, cache: cache, time: time))
  }

  /// Creates a pipeline with the standard configuration, changed by a closure.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline { $0.retryStrategy = NoRetry() }
  /// ```
  public convenience init(_ configure: (inout PipelineConfiguration) -> Void) {
    var configuration = PipelineConfiguration.standard()
    configure(&configuration)
    self.init(configuration: configuration)
  }

  /// The transport of this platform, shared by all pipelines that are created without one.
  ///
  /// `URLSessionTransport` on Apple platforms, `CurlTransport` elsewhere.
  public static let standardTransport: any Transport = {
    #if URLSESSION
    URLSessionTransport()
    #else
    CurlTransport()
    #endif
  }()

  /// A new transport of this platform that connects only to IP addresses that `policy` allows.
  ///
  /// - Throws: ``TransportError/addressPolicyUnsupported`` on Apple platforms, for any policy but `.any`.
  public static func transport(enforcing policy: AddressPolicy) throws(TransportError) -> any Transport {
    #if URLSESSION
    try URLSessionTransport(addressPolicy: policy)
    #else
    CurlTransport(configuration: CurlTransport.Configuration(addressPolicy: policy))
    #endif
  }
}

extension PipelineConfiguration {
  /// A configuration with the transport of this platform and all codecs of this build.
  public static func standard(
    transport: any Transport = ImagePipeline.standardTransport, cache: ImageCache = ImageCache(),
    time: any TimeSource = SystemTime()
  ) -> Self {
    Self(
      transport: transport, decoders: StandardCodecs.decoders, encoders: StandardCodecs.encoders, cache: cache,
      time: time)
  }
}
