/// Durations by the buckets that contain them, for Prometheus.
struct Histogram {
  /// The upper limits of the buckets, in seconds.
  private let limits: [Double]
  /// Durations by the first bucket that contains them; the last one has no limit.
  private var counts: [Int]
  private var sum = 0.0

  init(buckets limits: [Double]) {
    self.limits = limits
    counts = Array(repeating: 0, count: limits.count + 1)
  }

  mutating func add(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    counts[limits.firstIndex { seconds <= $0 } ?? limits.count] += 1
    sum += seconds
  }

  /// The lines of a metric.
  ///
  /// - Parameter labels: Its other labels, each with a comma after it.
  func lines(_ name: String, labels: String = "") -> [String] {
    var lines: [String] = []
    var count = 0
    for (limit, number) in zip(limits.map { "\($0)" } + ["+Inf"], counts) {
      count += number
      lines.append("\(name)_bucket{\(labels)le=\"\(limit)\"} \(count)")
    }
    let own = labels.isEmpty ? "" : "{\(labels.dropLast())}"
    return lines + ["\(name)_sum\(own) \(sum)", "\(name)_count\(own) \(count)"]
  }
}
