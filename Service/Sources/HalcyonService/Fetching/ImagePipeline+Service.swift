import Foundation
import Halcyon
import HalcyonCodecs

extension ImagePipeline {
  /// The pipeline of a service.
  ///
  /// - Parameter drawingProgram: The program that draws SVG in a process of its own, with its arguments; `nil` draws in
  ///   this process.
  convenience init(
    service: ServiceConfiguration, resolver: SourceResolver, drawingProgram: (program: URL, arguments: [String])?
  ) {
    let transport = CurlTransport(configuration: CurlTransport.Configuration(addressPolicy: service.addressPolicy))
    let disk = DiskCache(
      directory: service.cacheDirectory ?? DiskCache.defaultDirectory,
      configuration: DiskCacheConfiguration(sizeLimit: service.cacheByteCount, expiration: .never))
    let store = DataMemoryCache(byteLimit: service.memoryByteCount / 4 * 3, over: disk)
    // Results are cached encoded; no request needs decoded images from memory.
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 0))
    var configuration = PipelineConfiguration.standard(
      transport: transport, cache: ImageCache(memory: memory, store: store))
    configuration.limits = service.limits
    configuration.redirectLimit = service.redirectLimit
    configuration.makesPlaceholders = service.showsGallery
    configuration.connectionLimits = ConnectionLimits(
      total: service.sourceConnections, perHost: service.sourceConnectionsPerHost, waiting: service.queueLength)
    configuration.requestModifier = SourceModifier(storage: nil)
    configuration.redirectHandler = { _, request in
      guard let url = SourceURL(request.url.absoluteString), resolver.allows(url) else { return nil }
      return request
    }
    if let (program, arguments) = drawingProgram {
      configuration.decoders.insert(IsolatedSVGDecoder(helper: program, arguments: arguments), at: 0)
    }
    self.init(configuration: configuration)
  }
}
