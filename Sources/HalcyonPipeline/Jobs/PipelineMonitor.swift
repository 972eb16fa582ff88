import HalcyonCache
import HalcyonSupport
import Synchronization

/// Reports events to the handler of a pipeline. Exists only if there is a handler.
final class PipelineMonitor: Sendable {
  private let handler: @Sendable (PipelineEvent) -> Void
  private let subscriptions: [Subscription]
  private let loadCount = Atomic<UInt64>(0)

  init?(_ configuration: PipelineConfiguration) {
    guard let handler = configuration.eventHandler else { return nil }
    self.handler = handler
    let cache = configuration.cache
    let evictions = cache.memories.map(\.evictionObservers) + cache.disks.map(\.evictionObservers)
    subscriptions = evictions.map { observers in
      observers.observe { handler(PipelineEvent(load: nil, kind: .evicted($0.tier, count: $0.count, $0.reason))) }
    }
  }

  /// Reports an event that belongs to no single load.
  func report(_ kind: PipelineEvent.Kind) { handler(PipelineEvent(load: nil, kind: kind)) }

  /// Reports a load that has ended at once, with the image in memory.
  func reportMemoryHit(of request: ImageRequest) {
    let reporter = reporter(for: request)
    for kind in [.started, .memoryHit] as [PipelineEvent.Kind] { reporter.report(kind) }
    reporter.report(.finished(.memory, LoadTrace()))
  }

  /// Numbers a load and reports its creation.
  func reporter(for request: ImageRequest) -> LoadReporter {
    let reporter = LoadReporter(load: loadCount.add(1, ordering: .relaxed).newValue, handler: handler)
    reporter.report(.created(request))
    return reporter
  }
}

extension PipelineConfiguration {
  /// Reports a step to the subscribers of a load, if there is an event handler.
  @inline(__always)
  func report(_ kind: @autoclosure () -> PipelineEvent.Kind, to subscription: LoadSubscription) {
    if eventHandler != nil { subscription.reportStep(kind) }
  }
}

extension LoadSubscription {
  @inline(never)
  fileprivate func reportStep(_ kind: () -> PipelineEvent.Kind) { report(.step(kind())) }
}
