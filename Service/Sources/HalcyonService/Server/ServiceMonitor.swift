import HTTPTypes
import Halcyon
import HalcyonBackend
import HalcyonCache
@_spi(Programs) import HalcyonPipeline
import Synchronization

/// Responds with the health and the metrics of a service.
final class ServiceMonitor: Sendable {
  private let configuration: ServiceConfiguration
  private let metrics: ServiceMetrics
  private let imgproxyMetrics: ImgproxyMetrics?
  private let workload: Workload
  private let pipeline: ImagePipeline
  private let hasStopped = Atomic(false)

  init(
    _ configuration: ServiceConfiguration, metrics: ServiceMetrics, imgproxyMetrics: ImgproxyMetrics?,
    workload: Workload,
    pipeline: ImagePipeline
  ) {
    (self.configuration, self.metrics, self.imgproxyMetrics) = (configuration, metrics, imgproxyMetrics)
    (self.workload, self.pipeline) = (workload, pipeline)
  }

  /// Makes `/ready` report that no more requests should come.
  func stop() { hasStopped.store(true, ordering: .relaxed) }

  /// Whether no more requests should come.
  var isStopping: Bool { hasStopped.load(ordering: .relaxed) }

  /// The response at the address for monitoring only.
  func response(to request: ServiceRequest) -> ServiceResponse {
    do throws(ServiceError) {
      guard [.get, .head].contains(request.method) else { throw .methodNotAllowed }
      guard let response = try response(at: request.path) else { throw .notFound }
      return response
    } catch {
      return .failure(error)
    }
  }

  /// The response at a path; `nil` if it is not one of these.
  func response(at path: String) throws(ServiceError) -> ServiceResponse? {
    switch path {
    case "/ready" where isStopping: throw .shuttingDown
    case "/health", "/ready": return .text(200, "OK\n")
    case configuration.healthPath where !path.isEmpty: return .text(200, "OK\n")
    case "/metrics": return .text(200, metricsText, type: "text/plain; version=0.0.4; charset=utf-8")
    default: return nil
    }
  }

  private var metricsText: String {
    let text = metrics.text(measures: measures, tiers: pipeline.cache.tiers?.statistics ?? [])
    guard let imgproxyMetrics else { return text }
    return text
      + imgproxyMetrics.text(
        workers: configuration.concurrency, requestCount: metrics.inFlightCount, imageCount: workload.counts.working)
  }

  private var measures: [Measure] {
    let counts = workload.counts
    let statistics = pipeline.cache.statistics[.store]
    return ProcessMetrics.measures + [
      .gauge("halcyon_requests_active", "Requests whose image is looked up, fetched or made.", counts.requests),
      .gauge("halcyon_loads_fetching", "Loads that wait for their source.", counts.fetching),
      .gauge("halcyon_loads_working", "Loads that are decoded and encoded, or wait for that.", counts.working),
      .gauge("halcyon_loads_active", "Loads of the pipeline.", pipeline.activeLoadCount),
      .counter("halcyon_disk_hits_total", "Reads of the disk cache that found an entry.", statistics?.hits ?? 0),
      .gauge(
        "halcyon_memcached_servers_ejected", "Memcached servers that are ejected.", memcached?.ejectedServerCount ?? 0),
      .counter(
        "halcyon_memcached_oversized_total", "Results that were too large for memcached.", memcached?.oversized ?? 0),
    ]
  }

  private var memcached: MemcachedStatistics? {
    pipeline.cache.tiers?.tiers.compactMap { $0.store as? MemcachedStore }.first?.statistics
  }
}
