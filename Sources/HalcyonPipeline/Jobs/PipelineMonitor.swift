import HalcyonCache
import Synchronization

/// Tells a pipeline's handler what happens. There is one only where there is a handler.
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

  /// Tells what belongs to no load in particular.
  func tell(_ kind: PipelineEvent.Kind) { handler(PipelineEvent(load: nil, kind: kind)) }

  /// Gives a load its number, and tells that there is one.
  func reporter(for request: ImageRequest) -> LoadReporter {
    let reporter = LoadReporter(load: loadCount.add(1, ordering: .relaxed).newValue, handler: handler)
    reporter.tell(.created(request))
    return reporter
  }
}

extension PipelineConfiguration {
  /// Tells those who wait for an image of a step, where somebody listens.
  @inline(__always)
  func tell(_ kind: @autoclosure () -> PipelineEvent.Kind, to interest: LoadSubscription) {
    if eventHandler != nil { interest.reportStep(kind) }
  }
}

extension LoadSubscription {
  /// Not inlined: events are large, and would have room in the frame of every load that waits.
  @inline(never)
  fileprivate func reportStep(_ kind: () -> PipelineEvent.Kind) { report(.step(kind())) }
}

extension PipelineEvent.Kind {
  /// What the store said.
  static func found(_ answer: CacheResult<EncodedImage>) -> PipelineEvent.Kind {
    switch answer {
    case .hit(let body): .storeHit(byteCount: body.data.count)
    case .miss(let miss): .storeMiss(miss)
    }
  }
}
