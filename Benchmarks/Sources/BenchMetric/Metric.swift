import Foundation

/// A benchmark result, printed as `METRIC name value unit [goal <= x | goal >= x]`.
package struct Metric {
  /// The target for the value.
  package enum Goal {
    case atMost(Double)
    case atLeast(Double)
  }

  package var name: String
  package var value: Double
  package var unit: String
  package var goal: Goal?

  package init(name: String, value: Double, unit: String, goal: Goal? = nil) {
    (self.name, self.value, self.unit, self.goal) = (name, value, unit, goal)
  }

  package func report() {
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
package func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

/// How often a benchmark measures: as often as the variable `ROUNDS` says, or usually `count` times.
package func rounds(_ count: Int) -> Int {
  ProcessInfo.processInfo.environment["ROUNDS"].flatMap { Int($0) } ?? count
}

/// Ends a program that could not measure, with one line that says why.
package func endProgram(with error: any Error) -> Never {
  let name = URL(filePath: CommandLine.arguments[0]).lastPathComponent
  FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
  exit(1)
}

extension Duration {
  package var nanoseconds: Double { self / .nanoseconds(1) }
}
