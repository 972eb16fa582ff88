#if Metrics
public import Halcyon
public import Metrics
import HalcyonSupport

/// Counts the events of a pipeline in swift-metrics.
///
/// ```swift
/// let metrics = EventMetrics()
/// configuration.eventHandler = { event in metrics(event) }
/// ```
///
/// | metric | kind | dimensions |
/// | --- | --- | --- |
/// | `halcyon.loads` | counter | `result`: `memory`, `store`, `network`, …, `failed` or `cancelled` |
/// | `halcyon.reads` | counter | `tier`: `memory` or `store`; `result`: `hit` or the reason of the miss |
/// | `halcyon.responses` | counter | `status` |
/// | `halcyon.retries`, `halcyon.fallbacks`, `halcyon.coalesced`, `halcyon.store_failures` | counters | none |
/// | `halcyon.stored_bytes` | counter | `tier` |
/// | `halcyon.evictions` | counter | `tier`, `reason` |
/// | `halcyon.step` | timer | `step`: `storeRead`, `queue`, `transfer`, `decode`, … |
///
/// Safe from any thread. Each event takes a lock for a look-up.
public final class EventMetrics: Sendable {
  /// A metric and its dimensions.
  private struct Key: Hashable {
    let label: String
    let values: [String]
  }

  private struct Metrics {
    var counters: [Key: Counter] = [:]
    var timers: [Key: Timer] = [:]
  }

  private let factory: any MetricsFactory
  private let metrics = Lock(Metrics())

  /// Creates a handler.
  ///
  /// - Parameter factory: Makes the metrics. Default: the factory that the program has set, at the time of this call.
  public init(factory: any MetricsFactory = MetricsSystem.factory) {
    self.factory = factory
  }

  /// Counts an event.
  public func callAsFunction(_ event: PipelineEvent) {
    switch event.kind {
    case .memoryHit: count("reads", ("tier", "memory"), ("result", "hit"))
    case .memoryMiss(let miss): count("reads", ("tier", "memory"), ("result", miss.rawValue))
    case .storeHit: count("reads", ("tier", "store"), ("result", "hit"))
    case .storeMiss(let miss): count("reads", ("tier", "store"), ("result", miss.rawValue))
    case .joined: count("coalesced")
    case .responded(let status, _): count("responses", ("status", "\(status)"))
    case .retrying: count("retries")
    case .fallback: count("fallbacks")
    case .stored(let tier, let byteCount): count("stored_bytes", by: byteCount, ("tier", "\(tier)"))
    case .storeFailed: count("store_failures")
    case .evicted(let tier, let number, let reason):
      count("evictions", by: number, ("tier", "\(tier)"), ("reason", reason.rawValue))
    case .finished(let origin, let trace):
      count("loads", ("result", origin.rawValue))
      for step in trace.steps { timer("step", ("step", step.kind.rawValue)).record(duration: step.duration) }
    case .failed(.cancelled): count("loads", ("result", "cancelled"))
    case .failed: count("loads", ("result", "failed"))
    case .created, .started, .progress, .decoded, .processed: break
    @unknown default: break
    }
  }

  private func count(_ name: String, by number: Int = 1, _ dimensions: (String, String)...) {
    let key = Key(label: "halcyon.\(name)", values: dimensions.map(\.1))
    let counter = metrics.withLock { metrics in
      if let known = metrics.counters[key] { return known }
      let counter = Counter(label: key.label, dimensions: dimensions, factory: factory)
      metrics.counters[key] = counter
      return counter
    }
    counter.increment(by: number)
  }

  private func timer(_ name: String, _ dimensions: (String, String)...) -> Timer {
    let key = Key(label: "halcyon.\(name)", values: dimensions.map(\.1))
    return metrics.withLock { metrics in
      if let known = metrics.timers[key] { return known }
      let timer = Timer(label: key.label, dimensions: dimensions, factory: factory)
      metrics.timers[key] = timer
      return timer
    }
  }
}
#endif
