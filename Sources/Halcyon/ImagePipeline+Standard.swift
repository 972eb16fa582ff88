public import HalcyonSupport
public import HalcyonHTTP
public import HalcyonCache
public import HalcyonPipeline
public import Foundation

import HalcyonCodecs
import HalcyonTransport

extension ImagePipeline {
  /// The pipeline for everyone who needs no other: its disk cache lies in `DiskCache.defaultDirectory`, and its memory
  /// cache shrinks when the system runs short of memory.
  public static let shared = ImagePipeline(cache: .standard())

  /// Creates a pipeline of the standard parts, some of them replaced.
  ///
  /// - Parameters:
  ///   - transport: What moves bytes from web servers.
  ///   - cache: Where images are kept.
  ///   - time: The clocks of the pipeline. Give the same ones to the cache.
  public convenience init(
    transport: any Transport = standardTransport, cache: ImageCache = .standard(), time: any TimeSource = SystemTime()
  ) {
    self.init(configuration: .standard(transport: transport, cache: cache, time: time))
  }

  /// The transport of this platform, shared by all pipelines that have none of their own.
  public static let standardTransport: any Transport = {
    #if canImport(Darwin)
    URLSessionTransport()
    #else
    CurlTransport()
    #endif
  }()

  /// A transport of this platform that connects only where `policy` lets it.
  ///
  /// - Throws: ``TransportError/addressPolicyUnsupported`` on Apple's systems, for any policy but `.any`.
  public static func transport(enforcing policy: AddressPolicy) throws(TransportError) -> any Transport {
    #if canImport(Darwin)
    try URLSessionTransport(addressPolicy: policy)
    #else
    CurlTransport(configuration: CurlTransport.Configuration(addressPolicy: policy))
    #endif
  }
}

extension PipelineConfiguration {
  /// The parts that this platform has: its transport and all formats of this build.
  public static func standard(
    transport: any Transport = ImagePipeline.standardTransport, cache: ImageCache = .standard(),
    time: any TimeSource = SystemTime()
  ) -> Self {
    Self(
      transport: transport, decoders: StandardCodecs.decoders, encoders: StandardCodecs.encoders, cache: cache,
      time: time)
  }
}

extension ImageCache {
  /// Memory by its defaults, which shrinks when the system runs short of it, and a disk cache in a folder.
  public static func standard(directory: URL = DiskCache.defaultDirectory) -> ImageCache {
    ImageCache(store: DiskCache(directory: directory), pressure: SystemMemoryPressure())
  }
}
