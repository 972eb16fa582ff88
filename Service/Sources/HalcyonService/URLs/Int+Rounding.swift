extension Int {
  /// The whole number nearest to a value that comes from outside, within ±1,000,000,000; 0 for NaN.
  ///
  /// `Int.init(_: Double)` ends the process for what it cannot represent.
  init(rounding value: Double) {
    self = value.isNaN ? 0 : Int(Swift.max(-1e9, Swift.min(1e9, value)).rounded())
  }
}
