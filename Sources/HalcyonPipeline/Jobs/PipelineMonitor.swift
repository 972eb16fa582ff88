import HalcyonCache
import HalcyonSupport

/// Reports events to the handler of a pipeline. Exists only if there is a handler.
final class PipelineMonitor: Sendable {
  private let handler: @Sendable (PipelineEvent) -> Void
  private let subscriptions: [Subscription]
  private let loadCount = Atomic<UInt64>(0)

  init?(_ configuration: PipelineConfiguration) {
    guard let handler = configuration.eventHandler else { return nil }
    self.handler = handler
    let cache = configuration.cache
    let evictions = [cache.memoryCache?.evictionObservers].compactMap(\.self) + cache.disks.map(\.evictionObservers)
    subscriptions = evictions.map { observers in
      observers.observe { handler(PipelineEvent(kind: .evicted($0.tier, count: $0.count, $0.reason))) }
    }
  }

  /// Reports an event that belongs to no single load.
  func report(_ kind: PipelineEvent.Kind) { handler(PipelineEvent(kind: kind)) }

  /// Reports a whole load that found its image in memory.
  func reportHit(_ request: ImageRequest) {
    report([.created(request), .started, .memoryHit, .finished(.memory, LoadTrace())], of: request)
  }

  /// Reports a whole load whose source cannot be used.
  func reportFailure(_ request: ImageRequest, _ error: ImageError) {
    report([.created(request), .started, .failed(error)], of: request)
  }

  private func report(_ kinds: [PipelineEvent.Kind], of request: ImageRequest) {
    let load = loadCount.add(1)
    for kind in kinds { handler(PipelineEvent(load: load, request: request, kind: kind)) }
  }

  /// Numbers a load and reports its creation.
  func reporter(for request: ImageRequest) -> LoadReporter {
    let reporter = LoadReporter(load: loadCount.add(1), request: request, handler: handler)
    reporter.report(.created(request))
    return reporter
  }
}
