import HalcyonBackend
import HalcyonCache

/// The counters of the tiers of the cache.
enum TierMetrics {
  static func measures(_ tiers: [TierStatistics]) -> [Measure] {
    func measure(
      _ name: String, _ help: String, type: String = "counter",
      _ values: (TierStatistics) -> [(labels: String, value: Int)]
    ) -> Measure {
      let lines = tiers.flatMap { tier in
        values(tier).map { "\(name){tier=\"\(tier.name)\"\($0.labels)} \($0.value)" }
      }
      return Measure(name, help, type: type, lines: lines)
    }
    return [
      measure("halcyon_tier_reads_total", "Reads of a tier of the cache by their result.") {
        [(",result=\"hit\"", $0.hits), (",result=\"miss\"", $0.misses)]
      },
      measure(
        "halcyon_tier_unreadable_total", "Reads that found a damaged entry, or one of another version of the service."
      ) {
        [(",reason=\"damaged\"", $0.damaged), (",reason=\"other_format\"", $0.otherFormats)]
      },
      measure("halcyon_tier_stores_total", "Entries stored in a tier: new ones, and copies from a later tier.") {
        [(",kind=\"new\"", $0.stores), (",kind=\"copy\"", $0.copies)]
      },
      measure("halcyon_tier_errors_total", "Calls of a tier that failed.") { [("", $0.errors)] },
      measure("halcyon_tier_timeouts_total", "Calls of a tier that exceeded its budget.") { [("", $0.timeouts)] },
      measure("halcyon_tier_skips_total", "Calls that were not made because the tier was failing.") {
        [("", $0.skips)]
      },
      measure("halcyon_tier_opens_total", "How often a tier began to be skipped.") { [("", $0.opens)] },
      measure("halcyon_tier_skipped", "Whether a tier is being skipped.", type: "gauge") {
        [("", $0.isSkipped ? 1 : 0)]
      },
    ]
  }
}
