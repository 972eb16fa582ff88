import HalcyonBackend
import HalcyonCache
import Synchronization

/// Counts of a service, in the text format of Prometheus.
final class ServiceMetrics: Sendable {
  private struct State {
    var requests: [Int: Int] = [:]
    var hitCount = 0
    var missCount = 0
    var sentByteCount = 0
    var decodeCount = 0
    var durations = Histogram(buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
    var inFlightCount = 0
    /// Requests to sources by the status of their response, or the kind of their failure.
    var sources: [String: Int] = [:]
    var sourceByteCount = 0
    var sourceDurationSum = 0.0
  }

  private let state = Mutex(State())

  /// Requests without a response.
  var inFlightCount: Int { state.withLock(\.inFlightCount) }

  func begin() { state.withLock { $0.inFlightCount += 1 } }

  /// Counts a source that is decoded for a result, which equal requests share.
  func countDecode() { state.withLock { $0.decodeCount += 1 } }

  /// Counts a request to a source.
  ///
  /// - Parameter outcome: The label of the status of its response, or `failed`.
  func countSource(_ outcome: String, duration: Duration) {
    state.withLock { state in
      state.sources[outcome, default: 0] += 1
      state.sourceDurationSum += duration / .seconds(1)
    }
  }

  /// Counts bytes of a source.
  func countSourceBytes(_ count: Int) { state.withLock { $0.sourceByteCount += count } }

  /// - Parameter isHit: Whether the result was in the cache, or `nil` without a result.
  func end(status: Int, byteCount: Int, duration: Duration, isHit: Bool?) {
    state.withLock { state in
      state.inFlightCount -= 1
      state.requests[status, default: 0] += 1
      state.sentByteCount += byteCount
      state.durations.add(duration)
      switch isHit {
      case true?: state.hitCount += 1
      case false?: state.missCount += 1
      case nil: break
      }
    }
  }

  /// - Parameters:
  ///   - measures: What is measured elsewhere.
  ///   - tiers: The counters of the tiers of the cache.
  func text(measures: [Measure], tiers: [TierStatistics]) -> String {
    let state = state.withLock { $0 }
    let duration = "halcyon_request_duration_seconds"
    let own = [
      Measure(
        "halcyon_requests_total", "Requests by the status of their response.", by: "status",
        StatusLabel.counts(state.requests)),
      Measure(
        "halcyon_results_total", "Results that were in the cache, and those that were made.", by: "cache",
        [("hit", state.hitCount), ("miss", state.missCount)]),
      Measure(
        "halcyon_decodes_total", "Sources that were decoded or sanitised; equal requests share one.", state.decodeCount),
      Measure("halcyon_sent_bytes_total", "Bytes of the bodies of responses.", state.sentByteCount),
      Measure(
        duration, "The time from a request to its response.", type: "histogram", lines: state.durations.lines(duration)),
      Measure(
        "halcyon_source_requests_total", "Requests to sources by the status of their response.", by: "status",
        state.sources.sorted { $0.key < $1.key }.map { ($0, $1) }),
      Measure("halcyon_source_bytes_total", "Bytes of the bodies of sources.", state.sourceByteCount),
      Measure(
        "halcyon_source_wait_seconds_total", "The time from requests to sources to the heads of their responses.",
        state.sourceDurationSum),
      .gauge("halcyon_requests_in_flight", "Requests without a response yet.", state.inFlightCount),
    ]
    return (own + measures + TierMetrics.measures(tiers)).flatMap(\.lines).joined(separator: "\n") + "\n"
  }
}
