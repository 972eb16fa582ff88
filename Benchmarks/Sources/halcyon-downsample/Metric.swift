/// A benchmark result, printed as `METRIC name value unit [goal <= x | goal >= x]`.
struct Metric {
  /// The target for the value.
  enum Goal {
    case atMost(Double)
    case atLeast(Double)
  }

  var name: String
  var value: Double
  var unit: String
  var goal: Goal?

  func report() {
    print("METRIC \(name) \(Self.short(value)) \(unit)" + suffix)
  }

  private var suffix: String {
    switch goal {
    case .atMost(let limit): " goal <= \(Self.short(limit))"
    case .atLeast(let limit): " goal >= \(Self.short(limit))"
    case nil: ""
    }
  }

  private static func short(_ value: Double) -> String {
    let factor = value >= 100 ? 10.0 : 1000.0
    return "\((value * factor).rounded() / factor)"
  }
}

/// The median; the upper one of an even number of values, 0 for none.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
