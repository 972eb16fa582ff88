import HalcyonBackend
import HalcyonCache

/// The counters of the tiers of the cache, in the text format of Prometheus.
enum TierMetrics {
  private struct Metric: Sendable {
    let name: String
    let help: String
    var type = "counter"
    /// The values of a tier, each with its further labels.
    let values: @Sendable (TierStatistics) -> [(labels: String, value: Int)]
  }

  private static let metrics = [
    Metric(name: "halcyon_tier_reads_total", help: "Reads of a tier of the cache by their result.") {
      [(",result=\"hit\"", $0.hits), (",result=\"miss\"", $0.misses)]
    },
    Metric(
      name: "halcyon_tier_unreadable_total",
      help: "Reads that found a damaged entry, or one of another version of the service."
    ) { [(",reason=\"damaged\"", $0.damaged), (",reason=\"other_format\"", $0.otherFormats)] },
    Metric(
      name: "halcyon_tier_stores_total", help: "Entries stored in a tier: new ones, and copies from a later tier."
    ) { [(",kind=\"new\"", $0.stores), (",kind=\"copy\"", $0.copies)] },
    Metric(name: "halcyon_tier_errors_total", help: "Calls of a tier that failed.") { [("", $0.errors)] },
    Metric(name: "halcyon_tier_timeouts_total", help: "Calls of a tier that exceeded its budget.") {
      [("", $0.timeouts)]
    },
    Metric(name: "halcyon_tier_skips_total", help: "Calls that were not made because the tier was failing.") {
      [("", $0.skips)]
    },
    Metric(name: "halcyon_tier_opens_total", help: "How often a tier began to be skipped.") { [("", $0.opens)] },
    Metric(name: "halcyon_tier_skipped", help: "Whether a tier is being skipped.", type: "gauge") {
      [("", $0.isSkipped ? 1 : 0)]
    },
  ]

  static func lines(_ tiers: [TierStatistics]) -> [String] {
    metrics.flatMap { metric in
      ["# HELP \(metric.name) \(metric.help)", "# TYPE \(metric.name) \(metric.type)"]
        + tiers.flatMap { tier in
          metric.values(tier).map { "\(metric.name){tier=\"\(tier.name)\"\($0.labels)} \($0.value)" }
        }
    }
  }
}
