extension Int {
  /// The integer part of a number, clamped to the range of `Int`, which has 32 bits on older watches; 0 for NaN.
  package init(clamping value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }
}
