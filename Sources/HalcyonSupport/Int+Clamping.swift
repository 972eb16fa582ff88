extension Int {
  /// The integer part of a number, clamped to the range of `Int`, which has 32 bits on older watches; 0 for NaN.
  package init(clamping value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }
}

extension Double {
  /// The nearest number in a range; `fallback` for NaN.
  package func clamped(to range: ClosedRange<Double>, nan fallback: Double) -> Double {
    isNaN ? fallback : min(max(self, range.lowerBound), range.upperBound)
  }
}
