/// A metric in the text format of Prometheus.
struct Measure: Sendable {
  let lines: [String]

  /// - Parameter samples: The lines of its values.
  init(_ name: String, _ help: String, type: String = "counter", lines samples: [String]) {
    lines = ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + samples
  }

  init(_ name: String, _ help: String, type: String = "counter", _ value: some Numeric) {
    self.init(name, help, type: type, lines: ["\(name) \(value)"])
  }

  /// Values by a label.
  init(_ name: String, _ help: String, by label: String, _ values: [(label: String, count: Int)]) {
    self.init(name, help, lines: values.map { "\(name){\(label)=\"\($0)\"} \($1)" })
  }

  /// A value that rises and falls.
  static func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) -> Measure {
    Measure(name, help, type: "gauge", Double(value))
  }

  /// A value that only rises.
  static func counter(_ name: String, _ help: String, _ value: some BinaryInteger) -> Measure {
    Measure(name, help, Double(value))
  }
}
