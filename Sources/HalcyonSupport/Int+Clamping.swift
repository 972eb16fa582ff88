extension Int {
  /// The whole part of a number, or the nearest that fits, where `Int` may have 32 bits, as on older watches; 0 for NaN.
  package init(clamping value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }
}
