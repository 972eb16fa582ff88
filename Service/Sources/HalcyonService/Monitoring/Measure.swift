/// A value that is measured when metrics are requested.
struct Measure: Sendable {
  let name: String
  let help: String
  let type: String
  let value: Double

  /// A value that rises and falls.
  static func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) -> Measure {
    Measure(name: name, help: help, type: "gauge", value: Double(value))
  }

  /// A value that only rises.
  static func counter(_ name: String, _ help: String, _ value: some BinaryInteger) -> Measure {
    Measure(name: name, help: help, type: "counter", value: Double(value))
  }
}
