import Foundation
import Halcyon
import HalcyonBackend
@_spi(Programs) import HalcyonCache
import HalcyonCodecs
import HalcyonHTTP
import HalcyonPipeline
import HalcyonSupport
import HalcyonTransport
import Logging

extension ImagePipeline {
  /// The pipeline of a service.
  ///
  /// - Parameters:
  ///   - ownTransports: The transports of sources in this process, by the hosts of their URLs.
  ///   - drawing: The decoder that draws SVG in a process of its own; `nil` draws in this process.
  convenience init(
    service: ServiceConfiguration, resolver: SourceResolver, ownTransports: [String: any Transport],
    workload: Workload, metrics: ServiceMetrics, eventHandler: (@Sendable (PipelineEvent) -> Void)?,
    drawing: IsolatedSVGDecoder?, logger: Logger
  ) {
    let network = CurlTransport(configuration: CurlTransport.Configuration(addressPolicy: service.addressPolicy))
    let transport = SourceTransport(
      network: network, own: ownTransports, regions: resolver.bucketRegions, workload: workload, metrics: metrics)
    let tiers = TieredStore(service.tiers) { change in
      logger.warning(
        change.isFailing ? "A tier of the cache fails" : "A tier of the cache works again",
        metadata: ["tier": "\(change.tier)", "error": "\(change.error)"])
    }
    // Results are cached encoded; no request needs decoded images from memory.
    var configuration = PipelineConfiguration()
    configuration.transport = transport
    configuration.cache = ImageCache(
      memory: MemoryCacheConfiguration(costLimit: 0), store: tiers,
      encodedByteLimit: service.memoryByteCount / 2)
    configuration.limits = service.limits
    configuration.encoders = service.encoders.encoders
    configuration.memoryBudget = MemoryBudget(byteLimit: service.workingByteCount)
    if !service.userAgent.isEmpty {
      let agent = service.userAgent.replacing("%current_version", with: HalcyonVersion.current)
      configuration.headers["User-Agent"] = agent
    }
    // Long enough for requests that come together, and short enough for an image that has just been uploaded.
    configuration.failureLifetimes = FailureLifetimes(missing: .seconds(2), unusable: .seconds(2))
    configuration.redirectLimit = service.redirectLimit
    configuration.eventHandler = eventHandler
    configuration.makesPlaceholders = service.showsGallery
    configuration.connectionLimits = ConnectionLimits(
      total: service.sourceConnections, perHost: service.sourceConnectionsPerHost, waiting: .max)
    // Also for clients that wait longer: only this ends a fetch that many clients share.
    configuration.transportLimits.connectTimeout = min(.seconds(10), service.sourceTimeout)
    configuration.transportLimits.idleTimeout = min(.seconds(15), service.sourceTimeout)
    configuration.transportLimits.totalTimeout = service.sourceTimeout
    configuration.decodingThreads = service.concurrency
    configuration.httpCaching = service.sourceCaching
    configuration.options.requestModifier = SourceModifier(bucket: nil)
    configuration.options.retryStrategy = SourceRetries(timeout: service.sourceTimeout)
    configuration.options.redirectHandler = { _, request in
      guard let url = SourceURL(request.url.absoluteString), url.authorization == nil,
        resolver.allowsRedirect(to: url)
      else {
        return nil
      }
      return request
    }
    if let drawing { configuration.decoders.insert(drawing, at: 0) }
    self.init(configuration: configuration)
  }
}

extension ImageCache {
  /// The store, if it has tiers.
  var tiers: TieredStore? { store as? TieredStore }
}

extension ServiceConfiguration {
  /// What sources say of their freshness counts, and nothing is guessed: clients expect the current image.
  fileprivate var sourceCaching: HTTPCacheRules {
    let silence = Duration.seconds(sourceTimeToLive)
    var rules = HTTPCacheRules(defaultLifetime: silence, validatorLifetime: silence)
    rules.heuristicLifetimeLimit = .zero
    // Keys have the credentials of a source.
    rules.usesSharedMaxAge = true
    // Only a new cachebuster and a client's no-cache revalidate.
    rules.revalidatesImmutable = true
    return rules
  }

  /// The tiers of the cache: the disk of this node, and what the nodes share.
  fileprivate var tiers: [TieredStore.Tier] {
    let disk = DiskCache(
      directory: cacheDirectory ?? DiskCache.defaultDirectory,
      configuration: DiskCacheConfiguration(sizeLimit: cacheByteCount, expiration: .never))
    var tiers = [TieredStore.Tier(name: "disk", store: disk)]
    if !memcachedServers.isEmpty {
      // Without a budget: the store has a timeout and ejects servers itself.
      tiers.append(
        TieredStore.Tier(
          name: "memcached", store: MemcachedStore(servers: memcachedServers, configuration: memcached)))
    }
    if let storage, let resultsBucket {
      // Not the transport of sources, whose address policy is for URLs of clients.
      let store = S3Store(
        storage: storage, bucket: resultsBucket, transport: CurlTransport(), configuration: results)
      tiers.append(
        TieredStore.Tier(name: "s3", store: store, budget: resultsBudget, changeBudget: results.timeout))
    }
    return tiers
  }
}
