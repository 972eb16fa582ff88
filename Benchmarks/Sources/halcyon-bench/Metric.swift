/// One figure, printed as `METRIC name value unit [goal <= x | goal >= x]`.
struct Metric {
  var name: String
  var value: Double
  var unit: String
  var goal: Double?
  var goalAtLeast: Double?

  func report() {
    let most = goal.map { " goal <= \(Self.short($0))" } ?? ""
    let least = goalAtLeast.map { " goal >= \(Self.short($0))" } ?? ""
    print("METRIC \(name) \(Self.short(value)) \(unit)" + most + least)
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
