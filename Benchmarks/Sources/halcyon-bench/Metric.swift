/// One figure, printed as `METRIC name value unit [goal <= x]`.
struct Metric {
  var name: String
  var value: Double
  var unit: String
  var goal: Double?

  func report() {
    print("METRIC \(name) \(Self.short(value)) \(unit)" + (goal.map { " goal <= \(Self.short($0))" } ?? ""))
  }

  private static func short(_ value: Double) -> String {
    let factor = value >= 100 ? 10.0 : 1000.0
    return "\((value * factor).rounded() / factor)"
  }
}

/// The middle of several measurements.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
